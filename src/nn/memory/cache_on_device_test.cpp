#include <gtest/gtest.h>

#include "nn/test_models.h"
#include "stoker/dataset.h"
#include "stoker/losses.h"
#include "support/fake_gpu.h"

namespace stoker {
namespace {

using namespace test;

// A device with its own memory.
class CacheOnDevice : public stoker::testing::FakeGpu {
 protected:
  static constexpr int64_t samples = 70, batch = 8, width = 64;

  Dataset batches() {
    return Dataset::from_tensor_slices({x, y})
        .map(
            [this](const Array& in, const Array& out) {
              ++made;
              return std::pair(in, out);
            },
            {.num_parallel_calls = 1})
        .batch(batch);
  }
  static Sequential model() {
    set_random_seed(5);
    Sequential model(
        {Input({.shape = {width}}), layers::Dense({.units = 4}), layers::Dense({.units = 1})});
    model.compile({.optimizer = "adam", .loss = "mse"});
    return model;
  }
  std::vector<float> weights_after(const Dataset& dataset, int64_t epochs) {
    auto trained = model();
    trained.fit(dataset, {.epochs = epochs, .verbose = 0});
    const Array kernel = trained.get_weights()[0];
    const auto values = kernel.data<float>();
    return {values.begin(), values.end()};
  }

  const Array x = random_array({samples, width}), y = random_array({samples, 1});
  std::atomic<int64_t> made = 0;
};

TEST_F(CacheOnDevice, SendsEveryBatchOnce) {
  const auto expected = weights_after(batches(), 4);
  const auto cached = batches().cache_on_device();
  made = 0;
  control.async_copies = 0;
  EXPECT_EQ(weights_after(cached, 4), expected);
  EXPECT_EQ(made, samples + batch) << "and one batch, to see what they are";
  EXPECT_EQ(control.async_copies, 2 * 9);
  control.async_copies = 0;
  EXPECT_EQ(weights_after(cached.prefetch(2), 4), expected) << "another fit, over a copy of it";
  EXPECT_EQ(control.async_copies, 0);
  EXPECT_LE(made, samples + 6 * batch) << "a few, which prefetch made to see what they are";
  EXPECT_EQ(get_memory_info("fake:0")["inputs"].current, 9 * batch * (width + 1) * 4);
}

TEST_F(CacheOnDevice, TakesTheDevicesMemoryOnlyAsLongAsTheDataset) {
  weights_after(batches().cache_on_device(), 2);
  EXPECT_EQ(get_memory_info("fake:0")["inputs"].current, 0);
}

TEST_F(CacheOnDevice, IsInHostMemoryWhereItDoesNotFit) {
  set_logical_device_configuration(gpu(), {{.memory_limit = 1}});
  const Array much = random_array({4096, width}), more = random_array({4096, 1});
  const auto cached = Dataset::from_tensor_slices({much, more})
                          .map(
                              [this](const Array& in, const Array& out) {
                                ++made;
                                return std::pair(in, out);
                              },
                              {.num_parallel_calls = 1})
                          .batch(batch)
                          .cache_on_device();
  made = 0;
  ::testing::internal::CaptureStderr();
  weights_after(cached, 3);
  weights_after(cached, 1);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(made, 4096 + batch);
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  for (const char* part :
       {"cache_on_device, created cache_on_device_test.cpp", "the batches take 1.",
        "more than half of the", "cached in host memory instead"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
}

TEST_F(CacheOnDevice, NeedsToKnowHowManyBatchesThereAre) {
  const auto filtered =
      Dataset::from_tensor_slices({x, y}).filter([](const Element&) { return true; }).batch(batch);
  ::testing::internal::CaptureStderr();
  const auto expected = weights_after(filtered.cache_on_device(), 3);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("assert_cardinality"), std::string::npos);
  control.async_copies = 0;
  EXPECT_EQ(weights_after(filtered.assert_cardinality(9).cache_on_device(), 3), expected);
  EXPECT_EQ(control.async_copies, 2 * 9);
}

}  // namespace
}  // namespace stoker
