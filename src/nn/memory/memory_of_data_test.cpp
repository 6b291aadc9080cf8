#include <fmt/format.h>

#include "nn/test_models.h"
#include "stoker/device.h"
#include "stoker/losses.h"
#include "support/fake_gpu.h"

namespace stoker {
namespace {

using namespace test;
using stoker::testing::message_of;

// A device with its own memory, where data takes part of it.
class MemoryOfData : public stoker::testing::FakeGpu {
 protected:
  static void limit_to(int64_t megabytes) {
    set_logical_device_configuration(gpu(), {{.memory_limit = megabytes}});
  }
  static Sequential model() {
    set_random_seed(5);
    Sequential model({Input({.shape = {64}}), layers::Dense({.units = 16, .activation = "relu"}),
                      layers::Dense({.units = 64})});
    model.compile({.optimizer = "adam", .loss = "mse"});
    return model;
  }
  struct Epochs : Callback {
    int64_t begun = 0, ended = 0;
    void on_epoch_begin(int64_t, const Logs&) override { ++begun; }
    void on_epoch_end(int64_t, Logs&) override { ++ended; }
  };
  static constexpr const char* device = "fake:0";
};

TEST_F(MemoryOfData, FitIsRefusedBeforeItsFirstEpochOrNotAtAll) {
  limit_to(1);
  const Array x = random_array({1003, 64});
  int64_t refused = 0, trained = 0;
  for (int64_t batch = 50; batch < 500; batch += 50)
    for (const int64_t validation_batch : {0, 300}) {
      const auto epochs = std::make_shared<Epochs>();
      const std::string error = message_of<OutOfMemory>([&] {
        model().fit(x, x,
                    {.batch_size = batch,
                     .epochs = 2,
                     .verbose = 0,
                     .callbacks = {epochs},
                     .validation_split = 0.5,
                     .validation_batch_size = validation_batch});
      });
      EXPECT_EQ(epochs->ended, error == "no error" ? 2 : 0) << batch << ": " << error;
      EXPECT_EQ(epochs->ended, epochs->begun) << batch << ": " << error;
      ++(epochs->ended > 0 ? trained : refused);
    }
  EXPECT_GT(trained, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(MemoryOfData, TheForecastCountsTheValidationData) {
  limit_to(16);
  const Array x = random_array({1024, 64});
  auto trained = model();
  const MemoryInfo before = get_memory_info(device);
  const MemoryForecast forecast =
      trained.memory(x, x, {.batch_size = 128, .validation_split = 0.5});
  trained.fit(x, x, {.batch_size = 128, .epochs = 3, .verbose = 0, .validation_split = 0.5});
  const MemoryInfo after = get_memory_info(device);
  EXPECT_EQ(forecast.inputs, after["inputs"].peak - before["inputs"].peak);
  EXPECT_EQ(forecast.inputs, 2 * 1024 * 64 * 4 + 512 * 3 * 8) << "all data and three orders";
  const ValidationData given{x, x};
  EXPECT_EQ(trained.memory(x, x, {.validation_data = given}).inputs,
            4 * 1024 * 64 * 4 + 1024 * 3 * 8);
}

TEST_F(MemoryOfData, TheForecastCountsBatchesThatTheDeviceCopies) {
  control.copies_inputs = 1;
  const Array x = random_array({1000, 64});
  constexpr int64_t row = 2 * 64 * 4, all = 1000 * row, address = 16;
  const auto inputs = [&](const MemoryArgs& args) { return model().memory(x, x, args).inputs; };
  EXPECT_EQ(inputs({.batch_size = 128}),
            all + 1000 * 3 * 8 + (128 + 1000 % 128) * 8 + 2 * 3 * address)
      << "a gathered step copies the numbers of its samples";
  EXPECT_EQ(inputs({.batch_size = 128, .shuffle = false}),
            all + (128 + 1000 % 128) * row + 2 * 2 * address)
      << "a batch, and the rest, which is a step of its own";
  EXPECT_EQ(inputs({.batch_size = 128, .validation_split = 0.2}),
            all + 800 * 3 * 8 + (128 + 800 % 128) * 8 + 2 * 3 * address + (128 + 200 % 128) * row +
                2 * 2 * address);
}

TEST_F(MemoryOfData, ValidationDataThatDoesNotFitIsSentInBatches) {
  limit_to(1);
  const Array x = random_array({512, 64}), much = random_array({4096, 64});
  const ValidationData validation{much, much};
  auto trained = model();
  const MemoryForecast forecast =
      trained.memory(x, x, {.batch_size = 32, .validation_data = validation});
  EXPECT_TRUE(forecast.fits());
  EXPECT_EQ(forecast.inputs, 2 * (512 + 3 * 2 * 32) * 64 * 4 + 512 * 3 * 8)
      << "three slots for two batches each";
  const MemoryArgs larger{
      .batch_size = 32, .validation_data = validation, .validation_batch_size = 100};
  EXPECT_EQ(trained.memory(x, x, larger).inputs, 2 * (512 + 3 * 100) * 64 * 4 + 512 * 3 * 8);
  const auto history = trained.fit(
      x, x, {.batch_size = 32, .epochs = 3, .verbose = 0, .validation_data = validation});
  EXPECT_EQ(history["val_loss"].size(), 3u);
  EXPECT_EQ(get_memory_info(device)["inputs"].peak, forecast.inputs);
}

TEST_F(MemoryOfData, TheLargestBatchTrainsWhateverTheRest) {
  limit_to(1);
  for (const int64_t samples : {997, 1000, 1003, 1100, 1210}) {
    const Array x = random_array({samples, 64});
    const double split = samples % 2 == 0 ? 0.1 : 0;
    const auto fit = [&](int64_t batch) {
      model().fit(x, x,
                  {.batch_size = batch, .epochs = 4, .verbose = 0, .validation_split = split});
    };
    const int64_t largest = model().memory(x, x, {.validation_split = split}).largest_batch;
    EXPECT_LT(largest, samples);
    EXPECT_EQ(message_of<OutOfMemory>([&] { fit(largest); }), "no error") << largest;
    const int64_t more = largest + largest / 128 + 1;
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, fmt::format("a batch of {} does not fit", more),
                        message_of<OutOfMemory>([&] { fit(more); }));
  }
}

}  // namespace
}  // namespace stoker
