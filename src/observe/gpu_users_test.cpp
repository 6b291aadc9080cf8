#include "observe/gpu_users.h"

#include <gtest/gtest.h>

namespace stoker::observe {
namespace {

constexpr int64_t own = 42;

GpuProcess on_gpu(int64_t pid, std::optional<double> share) {
  return {.pid = pid, .sm_share = share};
}
GpuProcess with_files(int64_t pid, std::vector<int64_t> files) {
  return {.pid = pid, .gpu_files = std::move(files)};
}

TEST(GpuUsers, NvmlKnowsWhoComputes) {
  GpuSample gpu{.minor = 0, .processes = {on_gpu(own, 0.6), on_gpu(7, 0.2)}};
  GpuUsers users = users_of(gpu, own, {});
  EXPECT_EQ(users.others, 1);
  EXPECT_NEAR(users.share.value(), 0.25, 1e-9);
  // One that only holds memory does not count, whatever files are open.
  gpu.processes[1].sm_share = 0;
  users = users_of(gpu, own, {with_files(7, {0}), with_files(8, {0})});
  EXPECT_EQ(users.others, 0);
  EXPECT_EQ(users.share, 0);
  // Of shares that NVML does not tell, nothing is known.
  gpu.processes = {on_gpu(own, {}), on_gpu(7, {})};
  EXPECT_EQ(users_of(gpu, own, {with_files(7, {0})}).others, 0);
  EXPECT_EQ(users_of(gpu, own, {with_files(7, {0})}).share, std::nullopt);
}

TEST(GpuUsers, InAContainerThoseOnThisGpuCount) {
  GpuSample gpu{.minor = 1};
  EXPECT_EQ(users_of(gpu, own, {with_files(7, {0}), with_files(8, {2, 3})}).others, 0);
  EXPECT_EQ(users_of(gpu, own, {with_files(7, {0})}).share, 0);
  const GpuUsers users = users_of(gpu, own, {with_files(7, {0}), with_files(8, {0, 1})});
  EXPECT_EQ(users.others, 1);
  EXPECT_EQ(users.share, 0.5);
  // Under the PIDs of another namespace, one of those that compute is this process.
  gpu.processes = {on_gpu(1001, 0.9), on_gpu(1002, 0.0)};
  EXPECT_EQ(users_of(gpu, own, {with_files(8, {1})}).others, 0);
  gpu.processes[1].sm_share = 0.4;
  EXPECT_EQ(users_of(gpu, own, {}).others, 1);
}

std::vector<GpuSample> two_gpus() { return {{.index = 0, .minor = 0}, {.index = 1, .minor = 1}}; }
std::vector<Nvml::Facts> their_facts() {
  return {{.index = 0, .uuid = "GPU-aaaa-1"}, {.index = 1, .uuid = "GPU-bbbb-2"}};
}
int64_t index_of(const char* visible, int64_t index) {
  const auto samples = two_gpus();
  const GpuSample* const gpu = gpu_of(samples, their_facts(), own, visible, index);
  return gpu ? gpu->index : -1;
}

TEST(GpuUsers, VisibleDevicesChooseAndReorderTheGpus) {
  EXPECT_EQ(index_of(nullptr, 1), 1);
  EXPECT_EQ(index_of("1", 0), 1);
  EXPECT_EQ(index_of("1,0", 1), 0);
  EXPECT_EQ(index_of("0, 1", 1), 1);
  EXPECT_EQ(index_of("GPU-bbbb", 0), 1);
  EXPECT_EQ(index_of("GPU-cccc", 0), -1);
  EXPECT_EQ(index_of("", 0), -1);
  EXPECT_EQ(index_of("0", 1), -1);
}

TEST(GpuUsers, TheGpuThatListsTheProcessIsIts) {
  auto samples = two_gpus();
  samples[1].processes = {on_gpu(own, 0.5)};
  EXPECT_EQ(gpu_of(samples, their_facts(), own, nullptr, 0)->index, 1);
  samples[0].processes = {on_gpu(own, 0.5)};  // on both
  EXPECT_EQ(gpu_of(samples, their_facts(), own, nullptr, 0)->index, 0);
}

}  // namespace
}  // namespace stoker::observe
