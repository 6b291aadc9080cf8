#include "profile.h"

#include <gtest/gtest.h>

#include <array>

#include "on_device.h"
#include "program.h"

// The emulator's clock advances by a microsecond with each launch and copy.
namespace stoker::cuda {
namespace {

struct Profiled : ::testing::Test {
  Profiled() : out(std::vector<int>(1, 0)) {
    function = make_function(R"(
extern "C" __global__ void add_to(int* out, const int* in) { *out += *in; })",
                             "add_to");
    kernel = make_kernel({function}, [this](Encoder& encoder, void* const* a, void*) {
      encoder.launch(*function, {.blocks = 1, .threads = 1}, out.at(), a[0]);
    });
    const StokerPointer input{nullptr, 0, nullptr};
    std::vector<StokerCall> calls(
        2, {.kernel = kernel.get(), .arguments = &input, .num_arguments = 1});
    calls[0].name = "first";
    calls[0].node = 7;
    calls[1].name = "second";
    calls[1].node = 9;
    calls[1].after = &first;
    calls[1].num_after = 1;
    program = std::make_unique<Program>(gpu(0), calls, drivers_memory);
  }
  void run(const OnDevice<int>& values, int64_t steps) {
    void* inputs[] = {values.at()};
    const int64_t strides[] = {sizeof(int)};
    program->run({inputs, strides, steps});
  }
  static void start() {
    const std::lock_guard lock(*gpu(0).guard);
    gpu(0).profile->start(gpu(0).stream);
  }
  std::vector<StokerSpan> read(int64_t most) {
    std::vector<StokerSpan> spans(static_cast<size_t>(most));
    spans.resize(static_cast<size_t>(gpu(0).profile->read(spans.data(), most)));
    return spans;
  }
  const int32_t first = 0;
  OnDevice<int> out;
  std::shared_ptr<Function> function;
  std::unique_ptr<Kernel> kernel;
  std::unique_ptr<Program> program;
};

TEST_F(Profiled, EachCallOfEachStepHasItsTime) {
  const OnDevice<int> values({1, 10, 100});
  run(values, 3);  // by CUDA graphs
  start();
  run(values, 3);
  gpu(0).profile->stop();
  run(values, 3);
  EXPECT_EQ(out.values()[0], 3 * 2 * 111);
  auto spans = read(4);
  ASSERT_EQ(spans.size(), 4u);
  for (const StokerSpan& span : read(10)) spans.push_back(span);
  ASSERT_EQ(spans.size(), 6u);
  for (size_t i = 0; i < spans.size(); ++i) {
    EXPECT_STREQ(spans[i].name, i % 2 == 0 ? "first" : "second");
    EXPECT_EQ(spans[i].node, i % 2 == 0 ? 7 : 9);
    EXPECT_NEAR(static_cast<double>(spans[i].begin), 1000.0 * static_cast<double>(i), 2);
    EXPECT_NEAR(static_cast<double>(spans[i].end - spans[i].begin), 1000, 2);
  }
  EXPECT_TRUE(read(10).empty());
}

TEST_F(Profiled, StartForgetsWhatNobodyRead) {
  const OnDevice<int> values({1, 10, 100});
  start();
  run(values, 3);
  start();
  run(values, 1);
  gpu(0).profile->stop();
  EXPECT_EQ(read(10).size(), 2u);
}

}  // namespace
}  // namespace stoker::cuda
