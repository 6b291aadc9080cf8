#include "nn/test_models.h"
#include "nn/training/batch_step.h"
#include "stoker/device.h"
#include "stoker/layers.h"
#include "stoker/losses.h"
#include "stoker/ops/host_call.h"
#include "support/fresh_devices.h"

namespace stoker {
namespace {

using namespace test;

class RecomputeTest : public stoker::testing::FreshDevices {
 protected:
  struct Run {
    History history;
    std::vector<Array> weights;
    int64_t arena;
  };
  template <class Make>
  static Run train(Make make, const Array& x, const Array& y, Recompute recompute) {
    set_random_seed(7);
    Sequential model = make();
    model.compile({.optimizer = "adam", .loss = "mse"});
    Run run;
    run.history = model.fit(
        x, y,
        {.batch_size = x.length() / 5 * 2, .epochs = 2, .verbose = 0, .recompute = recompute});
    run.weights = model.get_weights();
    run.arena = static_cast<int64_t>(model.impl().steps.arena->bytes());
    return run;
  }
  static void expect_same(const Run& a, const Run& b) {
    EXPECT_EQ(a.history.history, b.history.history);
    EXPECT_EQ(difference(a.weights, b.weights), 0);
  }
};

Sequential deep_stack() {
  std::vector<Sequential::Item> items{Input({.shape = {32}})};
  for (int i = 0; i < 24; ++i) {
    items.emplace_back(layers::Dense({.units = 32, .activation = "tanh"}));
    if (i % 3 == 0) items.emplace_back(layers::Dropout({.rate = 0.2}));
  }
  return Sequential(items);
}

TEST_F(RecomputeTest, ADeepStackTakesLessAndLearnsTheSame) {
  // Large enough that the workspaces of many threads do not matter.
  const Array x = random_array({640, 32}), y = random_array({640, 32}, 2);
  const Run plain = train(deep_stack, x, y, false), again = train(deep_stack, x, y, true);
  expect_same(plain, again);
  EXPECT_LT(again.arena, plain.arena / 2);
}

TEST_F(RecomputeTest, ImagesWithNormalisationToo) {
  const auto make = [] {
    std::vector<Sequential::Item> items{Input({.shape = {10, 10, 3}})};
    for (int i = 0; i < 8; ++i) {
      items.emplace_back(layers::Conv2D({.filters = 6, .kernel_size = {3, 3}, .padding = "same"}));
      items.emplace_back(layers::BatchNormalization());
      items.emplace_back(layers::Activation({.activation = "gelu"}));
    }
    items.emplace_back(layers::MaxPooling2D());
    items.emplace_back(layers::Flatten());
    items.emplace_back(layers::Dense({.units = 4}));
    return Sequential(items);
  };
  const Array x = random_array({96, 10, 10, 3}), y = random_array({96, 4}, 2);
  const Run plain = train(make, x, y, false), again = train(make, x, y, true);
  expect_same(plain, again);
  EXPECT_LT(again.arena, plain.arena * 2 / 3);
}

// Adds another number each time it is called.
struct CountingLayer : Layer {
  static inline int calls = 0;
  Tensor call(const Tensor& x, const CallArgs&) override {
    static const HostFunction function(
        [](const std::vector<Array>& in) -> std::vector<Array> {
          Array y = in[0].clone();
          for (float& v : y.mutable_data<float>()) v += 0.1F * static_cast<float>(++calls % 7);
          return {y};
        },
        [](const std::vector<Array>& in) -> std::vector<Array> { return {in[2].clone()}; });
    return ops::host_call(x, function);
  }
};

TEST_F(RecomputeTest, FunctionsOfTheHostRunOnce) {
  const auto make = [] {
    std::vector<Sequential::Item> items{Input({.shape = {32}})};
    for (int i = 0; i < 16; ++i) {
      items.emplace_back(layers::Dense({.units = 32, .activation = "gelu"}));
      if (i % 3 == 0) items.emplace_back(make_layer<CountingLayer>());
    }
    return Sequential(items);
  };
  const Array x = random_array({100, 32}), y = random_array({100, 32}, 2);
  const auto train_and_count = [&](bool recompute) {
    CountingLayer::calls = 0;
    const Run run = train(make, x, y, recompute);
    return std::pair(run, CountingLayer::calls);
  };
  const auto [plain, calls] = train_and_count(false);
  const auto [again, calls_again] = train_and_count(true);
  EXPECT_EQ(calls_again, calls);
  expect_same(plain, again);
}

TEST_F(RecomputeTest, AutoDoesSoOnlyIfItMust) {
  const Array x = random_array({2048, 128}), y = random_array({2048, 128}, 2);
  const auto make = [] {
    std::vector<Sequential::Item> items{Input({.shape = {128}})};
    for (int i = 0; i < 16; ++i)
      items.emplace_back(layers::Dense({.units = 128, .activation = "tanh"}));
    Sequential model(items);
    model.compile({.optimizer = "sgd", .loss = "mse"});
    return model;
  };
  const FitArgs args{.batch_size = 2048, .verbose = 0, .recompute = AUTO};
  auto roomy = make();
  roomy.fit(x, y, args);
  EXPECT_FALSE(roomy.memory({.batch_size = 2048, .recompute = AUTO}).recomputes);
  const int64_t plain = roomy.memory({.batch_size = 2048}).total(),
                least = roomy.memory({.batch_size = 2048, .recompute = true}).total();
  ASSERT_LT(least, plain * 3 / 4);

  device::Registry::global().reset();
  set_logical_device_configuration(cpu(), {{.memory_limit = (least + plain) / 2 >> 20}});
  auto tight = make();
  EXPECT_THROW(tight.fit(x, y, {.batch_size = 2048, .verbose = 0}), OutOfMemory);
  EXPECT_TRUE(tight.memory({.batch_size = 2048, .recompute = AUTO}).recomputes);
  tight.fit(x, y, args);
}

}  // namespace
}  // namespace stoker
