#include <fmt/format.h>

#include "nn/memory/device_of_model.h"
#include "nn/test_models.h"
#include "nn/training/batch_step.h"
#include "stoker/device.h"
#include "stoker/layers.h"
#include "stoker/losses.h"
#include "support/fake_gpu.h"

namespace stoker {
namespace {

using namespace test;
using stoker::testing::message_of;

// What fit compiles before its first epoch, without the data.
void compile_step(Model& model, int64_t batch, const TensorType& x, const TensorType& y) {
  nn::StepLayout layout{.gathers = true, .x = 1, .y = 1, .weighted = {false}};
  TensorType x_batch = x, y_batch = y;
  x_batch.shape[0] = y_batch.shape[0] = batch;
  const device::Scope scope(nn::device_of(model, "test"));
  nn::step_for(model, Phase::train, layout, {{DType::int64, Shape{batch}}, x_batch, y_batch});
}

// A logical CPU device with a small limit, so that nothing depends on the machine's memory.
class MemoryForecastTest : public stoker::testing::FreshDevices {
 protected:
  static void limit_to(int64_t megabytes) {
    set_logical_device_configuration(cpu(), {{.memory_limit = megabytes}});
  }
  static Sequential stack(int64_t layers, int64_t units) {
    set_random_seed(5);
    std::vector<Sequential::Item> items{Input({.shape = {units}})};
    for (int64_t i = 0; i < layers; ++i) {
      items.emplace_back(layers::Dense({.units = units, .activation = "gelu"}));
      items.emplace_back(layers::Dropout({.rate = 0.1}));
    }
    Sequential model(items);
    model.compile({.optimizer = "adam", .loss = "mse"});
    return model;
  }
};

// On the default device.
TEST(MemoryForecast, IsWhatCompilingThenTakes) {
  for (const bool convolves : {false, true}) {
    set_random_seed(1);
    Sequential model = convolves
                           ? Sequential({Input({.shape = {12, 12, 2}}),
                                         layers::Conv2D({.filters = 5, .kernel_size = {3, 3}}),
                                         layers::BatchNormalization(), layers::Flatten(),
                                         layers::Dense({.units = 7, .activation = "softmax"})})
                           : Sequential({Input({.shape = {33}}),
                                         layers::Dense({.units = 50, .activation = "tanh"}),
                                         layers::Dropout({.rate = 0.5}),
                                         layers::Dense({.units = 7, .activation = "softmax"})});
    model.compile(
        {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
    const std::string device = model.memory().device;
    const MemoryInfo before = get_memory_info(device);
    const MemoryForecast forecast = model.memory({.batch_size = 48});
    EXPECT_EQ(get_memory_info(device).current, before.current) << "the forecast took memory";

    const Shape x = convolves ? Shape{0, 12, 12, 2} : Shape{0, 33};
    compile_step(model, 48, {DType::float32, x}, {DType::int32, Shape{0}});
    const MemoryInfo after = get_memory_info(device);
    const auto taken = [&](const char* kind) { return after[kind].current - before[kind].current; };
    EXPECT_EQ(forecast.total() - forecast.inputs - forecast.context,
              after.current - before.current);
    EXPECT_EQ(forecast.to_allocate, forecast.total() - forecast.context);
    EXPECT_EQ(forecast.parameters, taken("parameters"));
    EXPECT_EQ(forecast.optimizer, taken("optimizer"));
    EXPECT_EQ(forecast.gradients + forecast.activations, taken("activations"));
    EXPECT_EQ(forecast.workspace, taken("workspace"));
    EXPECT_EQ(forecast.other, taken("other"));
    if (device == "/cpu:0") {
      EXPECT_EQ(forecast.inputs + forecast.context, 0) << "arrays stay where they are";
    }
    EXPECT_GT(forecast.activations, 48 * 50 * 4);
    EXPECT_GT(forecast.largest_batch, 48);
    EXPECT_LT(model.memory({.batch_size = 48}).to_allocate - forecast.inputs, 1024)
        << "but for constants, all is held already";
  }
}

TEST(MemoryForecast, IsWhatTheDriverReports) {
  if (device::current_device("test").is_host())
    GTEST_SKIP() << "the CPU's free memory changes with every other program";
  set_random_seed(1);
  Sequential model({Input({.shape = {1024}}), layers::Dense({.units = 2048, .activation = "relu"}),
                    layers::Dense({.units = 2048, .activation = "relu"}),
                    layers::Dense({.units = 10, .activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  const TensorType x{DType::float32, Shape{0, 1024}}, y{DType::int32, Shape{0}};
  compile_step(model, 8, x, y);  // loads libraries and code
  const MemoryForecast forecast = model.memory({.batch_size = 8192});
  compile_step(model, 8192, x, y);
  const auto free = static_cast<int64_t>(device::current_device("test").describe().memory_free);
  const auto wanted = static_cast<double>(forecast.to_allocate - forecast.inputs);
  EXPECT_NEAR(static_cast<double>(forecast.device_free - free), wanted, 0.02 * wanted);
}

// The minimum of free memory at the ends of epochs.
struct LeastFree : Callback {
  int64_t bytes = std::numeric_limits<int64_t>::max();
  void on_epoch_end(int64_t, Logs&) override {
    bytes = std::min(bytes, device::current_device("test").free_memory().all);
  }
};

std::string held() {
  std::string text = "held at most:\n";
  for (const auto& [name, now, peak] :
       get_memory_info(device::current_device("test").name()).categories)
    text += fmt::format("{} {} {}\n", name, now, peak);
  return text;
}

// In order, batches are copied to the step's input slots.
TEST(MemoryForecast, OfAWholeFitIsWhatTheDriverReports) {
  if (device::current_device("test").is_host())
    GTEST_SKIP() << "the CPU's free memory changes with every other program";
  const auto make = [] {
    Sequential model({Input({.shape = {4096}}), layers::Dense({.units = 8}),
                      layers::Dense({.units = 10, .activation = "softmax"})});
    model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
    return model;
  };
  // Large enough that the driver's granularity of 2 MB does not matter.
  const Array x(DType::float32, {40000, 4096}), y(DType::int32, {40000});
  for (const bool shuffle : {true, false}) {
    const auto least = std::make_shared<LeastFree>();
    const auto fit = [&](Model& model) {
      model.fit(x, y,
                {.batch_size = 4000,
                 .verbose = 0,
                 .callbacks = {least},
                 .validation_split = 0.25,
                 .shuffle = shuffle});
    };
    auto first = make();
    fit(first);  // loads libraries and code
    least->bytes = std::numeric_limits<int64_t>::max();
    auto model = make();
    const MemoryForecast forecast =
        model.memory(x, y, {.batch_size = 4000, .shuffle = shuffle, .validation_split = 0.25});
    fit(model);
    const auto wanted = static_cast<double>(forecast.total() - forecast.context);
    EXPECT_NEAR(static_cast<double>(forecast.device_free - least->bytes), wanted, 0.02 * wanted)
        << (shuffle ? "shuffled\n" : "in order\n") << forecast.to_string() << held();
  }
}

TEST_F(MemoryForecastTest, LeavesTheTrainingAsItWas) {
  const auto data = samples(96);
  const auto train = [&](bool ask) {
    auto model = classifier();
    if (ask) model.memory({.batch_size = 16});
    model.fit(data.x, data.y, {.epochs = 2, .verbose = 0});
    return model.get_weights();
  };
  EXPECT_EQ(difference(train(true), train(false)), 0);
}

TEST_F(MemoryForecastTest, FindsTheLargestBatchThatFits) {
  limit_to(24);
  auto model = stack(6, 64);
  const int64_t largest = model.memory().largest_batch;
  EXPECT_GT(largest, 256);
  EXPECT_TRUE(model.memory({.batch_size = largest}).fits());
  EXPECT_FALSE(model.memory({.batch_size = largest + largest / 128 + 1}).fits());
  EXPECT_EQ(model.memory({.batch_size = 3 * largest}).largest_batch / 64, largest / 64);
  const Array x = random_array({100, 64});
  EXPECT_EQ(model.memory(x, x).largest_batch, 100) << "there is no more data";
}

TEST_F(MemoryForecastTest, SaysWhetherTheBatchThatWasAskedForFits) {
  limit_to(24);
  auto model = stack(6, 64);
  const Array x = random_array({100, 64}), much = random_array({20000, 64});
  const auto text = [&](const Array& data, int64_t batch) {
    return model.memory(data, data, {.batch_size = batch}).to_string();
  };
  EXPECT_EQ(model.memory(x, x, {.batch_size = 5000}).batch_size, 100) << "there is no more data";
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "step of 100 samples", text(x, 5000));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "all 100 samples fit in one batch", text(x, 5000));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "the largest batch that fits is ", text(much, 32));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring,
                      "a batch of 15000 does not fit; the largest that fits is ",
                      text(much, 15000));
}

TEST_F(MemoryForecastTest, ABatchThatDoesNotFitIsRefusedWithTheWaysOut) {
  limit_to(24);
  auto model = stack(6, 64);
  const Array x = random_array({20000, 64});
  const auto fit = [&](const FitArgs& args) { model.fit(x, x, args); };
  const std::string message =
      message_of<OutOfMemory>([&] { fit({.batch_size = 15000, .verbose = 0}); });
  for (const char* words : {"a batch of 15000 does not fit", "parameters", "activations",
                            "optimizer", "total", "Ways out:", "batch_size = ", "recompute = true",
                            "mixed precision", "gradient_accumulation_steps = "})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, words, message);
  const size_t at = message.find("batch_size = ") + 13;
  const int64_t suggested = std::stoll(message.substr(at));
  EXPECT_GT(suggested, 1000);
  EXPECT_NO_THROW(fit({.batch_size = suggested, .verbose = 0, .steps_per_epoch = 1}));
}

TEST_F(MemoryForecastTest, AccumulationIsOfferedInPartsThatFitBesideItsSums) {
  limit_to(24);
  auto model = stack(2, 448);  // weights that take a good part of it
  const Array x = random_array({6000, 448});
  const std::string message = message_of<OutOfMemory>(
      [&] { model.fit(x, x, {.batch_size = 2 * model.memory().largest_batch, .verbose = 0}); });
  const size_t at = message.rfind("batch_size = ");
  ASSERT_NE(message.find("gradient_accumulation_steps", at), std::string::npos) << message;
  EXPECT_EQ(message.find("does not fit either", at), std::string::npos) << message;

  const int64_t part = std::stoll(message.substr(at + 13));
  const int64_t steps = std::stoll(message.substr(message.rfind("= ") + 2));
  auto accumulating = stack(2, 448);
  accumulating.compile(
      {.optimizer = optimizers::Adam({.gradient_accumulation_steps = steps}), .loss = "mse"});
  EXPECT_TRUE(accumulating.memory(x, x, {.batch_size = part}).fits());
}

TEST_F(MemoryForecastTest, WhatFitsIsInOnePieceOfReservedMemory) {
  set_memory_growth(cpu(), false);
  limit_to(24);
  const device::Device one = device::current_device("test");
  device::Buffer before(one, 6 << 20);
  const device::Buffer between(one, 1 << 20);
  before = {};
  auto model = stack(6, 64);
  const Array x = random_array({20000, 64});
  const MemoryForecast forecast = model.memory(x, x);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring,
                      "23.00 MB of 24.00 MB are free, 17.00 MB of it in one", forecast.to_string());
  EXPECT_NO_THROW(
      model.fit(x, x, {.batch_size = forecast.largest_batch, .verbose = 0, .steps_per_epoch = 1}));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "in one piece; a batch of ",
                      message_of<OutOfMemory>([&] {
                        model.fit(x, x, {.batch_size = 2 * forecast.largest_batch, .verbose = 0});
                      }));
}

TEST_F(MemoryForecastTest, AutoTakesASizeThatFits) {
  limit_to(24);
  auto model = stack(6, 64);
  const Array x = random_array({4000, 64});
  model.fit(x, x, {.batch_size = AUTO, .verbose = 0, .steps_per_epoch = 2});
  EXPECT_EQ(model.impl().fits.last.batch_size, 32) << "a hundred steps an epoch";
  const MemoryForecast forecast = model.memory({.batch_size = AUTO});
  EXPECT_TRUE(forecast.fits());
  EXPECT_EQ(forecast.batch_size & (forecast.batch_size - 1), 0) << forecast.batch_size;
  EXPECT_LE(forecast.batch_size, forecast.largest_batch);
}

TEST_F(MemoryForecastTest, AutoGrowsWithTheDataUntilMoreIsNoFaster) {
  auto model = stack(1, 16);
  const auto size = [&](int64_t samples) {
    const Array x(DType::float32, Shape{samples, 16});
    return model.memory(x, x, {.batch_size = AUTO}).batch_size;
  };
  EXPECT_EQ(size(10), 8);
  EXPECT_EQ(size(1000), 32);
  EXPECT_EQ(size(30000), 256);
  EXPECT_LE(size(1000000), model.memory({.batch_size = AUTO}).batch_size);
}

TEST_F(MemoryForecastTest, SaysWhatIsMissing) {
  Sequential unknown({layers::Dense({.units = 3})});
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "call compile first",
                      message_of<InvalidArgument>([&] { unknown.memory(); }));
  unknown.compile({.loss = "mse"});
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "memory(x, y)",
                      message_of<InvalidArgument>([&] { unknown.memory(); }));
  const Array x = random_array({8, 4}), y = random_array({8, 3});
  EXPECT_GT(unknown.memory(x, y, {.batch_size = 4}).parameters, 0);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "got 0",
                      message_of<InvalidArgument>([&] { unknown.memory({.batch_size = 0}); }));
}

TEST_F(MemoryForecastTest, TheTableHasEveryPart) {
  const std::string table = stack(2, 8).memory({.batch_size = 16}).to_string();
  for (const char* words :
       {"16 samples on /cpu:0", "parameters", "gradients", "optimizer", "activations", "workspace",
        "inputs", "other", "context", "total", "free", "largest batch that fits is"})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, words, table);
}

}  // namespace
}  // namespace stoker
