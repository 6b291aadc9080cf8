#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "nn/test_models.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/dataset.h"
#include "stoker/distribution.h"
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

// Of several ranks on the last one alone; tests/cli/distribution_training_test.py starts them. The
// others give the device one batch at once, too, though they have all of them in its memory.
TEST_F(CacheOnDevice, IsInHostMemoryIfARankRunsOutOfMemory) {
  distribution::initialize();
  const auto expected = weights_after(batches(), 6);
  const int64_t ranks = distribution::num_processes(), rank = distribution::process_id(),
                rows = batch * (rank + 1) / ranks - batch * rank / ranks,
                row_bytes = (width + 1) * 4;
  const auto takes_memory = callbacks::LambdaCallback({.on_train_begin = [&](const Logs&) {
    if (rank == ranks - 1) leave_free(static_cast<uint64_t>(6 * rows * row_bytes));  // of 9 batches
  }});
  auto trained = model();
  ::testing::internal::CaptureStderr();
  trained.fit(batches().cache_on_device(),
              {.epochs = 6, .verbose = 0, .callbacks = {takes_memory}});
  const std::string said = ::testing::internal::GetCapturedStderr();
  const bool says = ranks == 1;  // of several, rank 0
  EXPECT_EQ(said.find("cached in host memory instead") != std::string::npos, says) << said;
  const Array kernel = trained.get_weights()[0];
  EXPECT_TRUE(std::ranges::equal(kernel.data<float>(), expected));
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

// Any pipeline before it, epochs that end in the middle of a pass, and fits one after the other
// give what a cache in host memory gives.
TEST_F(CacheOnDevice, GivesWhatACacheInHostMemoryGives) {
  std::mt19937 random(7);
  const auto upto = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  for (int trial = 0; trial < 25; ++trial) {
    Dataset rows = Dataset::from_tensor_slices({x, y});
    std::string text;
    const auto add = [&](const char* what, int64_t n, const Dataset& made) {
      text += fmt::format("{}({}) ", what, n);
      rows = made;
    };
    for (int64_t stage = upto(4), n = upto(9); stage > 0; --stage, n = upto(9)) switch (upto(7)) {
        case 0:
          add("shuffle", n, rows.shuffle(1 + n, {.seed = static_cast<uint64_t>(n)}));
          break;
        case 1:
          add("random map", n, rows.map([](const Array& in, const Array& out, Random& drawn) {
            return std::pair(in, Array::from(std::vector{drawn.uniform()}, out.shape()));
          }));
          break;
        case 2:
          add("take", 20 + n, rows.take(20 + n));
          break;
        case 3:
          add("skip", n, rows.skip(n));
          break;
        case 4:
          add("repeat", 2, rows.repeat(2));
          break;
        case 5:
          add("shard", 2, rows.shard(2, n % 2));
          break;
        default:
          add("prefetch", 1 + n, rows.prefetch(1 + n));
      }
    const int64_t size = 1 + upto(12);
    add("batch", size, rows.batch(size, {.drop_remainder = upto(2) == 0}));
    FitArgs args{.epochs = 1 + upto(4), .verbose = 0};
    if (upto(3) == 0) args.steps_per_epoch = 1 + upto(rows.cardinality());
    SCOPED_TRACE(fmt::format("{}, {} epochs of {} steps", text, args.epochs, args.steps_per_epoch));
    const auto after = [&](const Dataset& cached) {
      auto trained = model();
      std::vector<Array> weights;
      for (int fit = 0; fit < 2; ++fit) {
        trained.fit(cached, args);
        weights.push_back(trained.get_weights()[0].clone());
      }
      return weights;
    };
    const auto want = after(rows.cache());
    const auto got =
        after(upto(2) == 0 ? rows.cache_on_device() : rows.cache_on_device().prefetch(2));
    for (size_t fit = 0; fit < want.size(); ++fit)
      ASSERT_TRUE(std::ranges::equal(got[fit].data<float>(), want[fit].data<float>()))
          << "fit " << fit;
  }
}

}  // namespace
}  // namespace stoker
