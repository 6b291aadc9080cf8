#include "exec/eager.h"

#include <gtest/gtest.h>

#include <thread>

#include "stoker/device.h"
#include "stoker/tensor.h"

namespace stoker::exec {
namespace {

// The number of wrong sums of thread-specific values.
int wrong_sums(float own) {
  const Tensor kept = Array::from<float>({own, own + 1, own + 2}, {3});
  int wrong = 0;
  for (int i = 0; i < 300; ++i) {
    const Tensor x = Array::from<float>({own, own + 1, own + 2}, {3});
    const Array sum = (x + kept * 2.0).array();
    for (int64_t j = 0; j < 3; ++j)
      wrong += sum.at(j) != 3 * (static_cast<double>(own) + static_cast<double>(j));
  }
  return wrong;
}

TEST(Threads, ComputeSideBySide) {
  int wrong[4] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&wrong, t] { wrong[t] = wrong_sums(static_cast<float>(100 * t)); });
  for (std::thread& thread : threads) thread.join();
  for (const int of_one : wrong) EXPECT_EQ(of_one, 0);
}

// Denormals make a step many times slower on some CPUs.
TEST(Denormals, AreZeroInAStepOnTheCpuAndTheCallersAreLeft) {
  const Device scope("/cpu:0");
  volatile float least_normal = 1.17549435e-38f;
  const Tensor x = Array::from<float>({least_normal, 1}, {2});
  EXPECT_EQ((x * 0.5).array().at(0), 0);
  EXPECT_EQ((x * 0.5).array().at(1), 0.5);
  EXPECT_GT(least_normal * 0.5f, 0);
}

}  // namespace
}  // namespace stoker::exec
