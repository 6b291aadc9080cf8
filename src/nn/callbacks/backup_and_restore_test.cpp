#include "stoker/callbacks/backup_and_restore.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "nn/test_models.h"
#include "stoker/callbacks/csv_logger.h"
#include "stoker/callbacks/early_stopping.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/callbacks/model_checkpoint.h"
#include "stoker/callbacks/reduce_lr_on_plateau.h"
#include "stoker/callbacks/resumable.h"
#include "stoker/callbacks/swap_ema_weights.h"
#include "stoker/layers/dropout.h"
#include "stoker/optimizers/adam.h"

namespace stoker {
namespace {

using namespace test;

// With a dropout: its random numbers are part of where a training stands.
Sequential with_dropout() {
  set_random_seed(5);
  Sequential model({Input({.shape = {features}}), layers::Dense({.units = 8, .activation = "relu"}),
                    layers::Dropout({.rate = 0.3}),
                    layers::Dense({.units = classes, .activation = "softmax"})});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.02}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  return model;
}

struct Crash {};
CallbackRef crash_at(int64_t epoch, int64_t batch) {
  const auto at = std::make_shared<int64_t>(0);
  return callbacks::LambdaCallback({.on_epoch_begin = [at](int64_t now, const Logs&) { *at = now; },
                                    .on_train_batch_end =
                                        [at, epoch, batch](int64_t done, const Logs&) {
                                          if (*at == epoch && done == batch) throw Crash();
                                        }});
}

void expect_resumed_run_is_the_same(const Config& save_freq, FitArgs args) {
  const auto data = samples(50);
  args.batch_size = 8;
  args.epochs = 4;
  args.verbose = 0;
  auto whole = with_dropout();
  const History want = whole.fit(data.x, data.y, args);

  const TemporaryFolder folder;
  const auto backup =
      callbacks::BackupAndRestore({.backup_dir = folder / "backup", .save_freq = save_freq});
  args.callbacks = {backup, crash_at(2, 4)};
  EXPECT_THROW(with_dropout().fit(data.x, data.y, args), Crash);
  args.callbacks = {backup};
  auto again = with_dropout();
  const History got = again.fit(data.x, data.y, args);
  EXPECT_EQ(difference(again.get_weights(), whole.get_weights()), 0);
  EXPECT_EQ(got.epoch, want.epoch);
  EXPECT_EQ(got.history, want.history);
  EXPECT_FALSE(std::filesystem::exists(folder / "backup"));  // it came to its end
}

TEST(BackupAndRestore, GoesOnExactlyAfterAnEpoch) { expect_resumed_run_is_the_same("epoch", {}); }
TEST(BackupAndRestore, GoesOnExactlyInsideAnEpoch) { expect_resumed_run_is_the_same(2, {}); }
TEST(BackupAndRestore, GoesOnExactlyWhereEpochsCutTheDataAnew) {
  expect_resumed_run_is_the_same(1, {.steps_per_epoch = 5});
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// No loss is ever better by 10: the rate is halved every second epoch, the fourth is the last.
std::vector<CallbackRef> that_remember(const std::string& folder) {
  std::filesystem::create_directories(folder);
  return {callbacks::CSVLogger({.filename = folder + "/log.csv"}),
          callbacks::ReduceLROnPlateau(
              {.monitor = "loss", .factor = 0.5, .patience = 2, .min_delta = 10}),
          callbacks::EarlyStopping(
              {.monitor = "loss", .min_delta = 10, .patience = 3, .restore_best_weights = true}),
          callbacks::ModelCheckpoint({.filepath = folder + "/best.safetensors",
                                      .monitor = "accuracy",
                                      .save_best_only = true,
                                      .save_weights_only = true,
                                      .mode = "min"})};
}

struct Outcome {
  std::vector<Array> weights;
  History history;
};
Outcome fit_with(std::vector<CallbackRef> callbacks, const CallbackRef& first = nullptr,
                 Sequential model = with_dropout()) {
  if (first) callbacks.insert(callbacks.begin(), first);
  const auto data = samples(50);
  const History history =
      model.fit(data.x, data.y,
                {.batch_size = 8, .epochs = 9, .verbose = 0, .callbacks = std::move(callbacks)});
  return {model.get_weights(), history};
}

void expect_callbacks_go_on(const Config& save_freq, int64_t epoch, int64_t batch) {
  const TemporaryFolder folder;
  const Outcome want = fit_with(that_remember(folder / "whole"));
  ASSERT_EQ(want.history.epoch.size(), 4);

  // Wherever the backup stands in the list, it saves when the others are done.
  const auto backup = [&] {
    return callbacks::BackupAndRestore({.backup_dir = folder / "backup", .save_freq = save_freq});
  };
  auto crashing = that_remember(folder / "parts");
  crashing.push_back(crash_at(epoch, batch));
  EXPECT_THROW(fit_with(crashing, backup()), Crash);
  const Outcome got = fit_with(that_remember(folder / "parts"), backup());
  EXPECT_EQ(got.history.history, want.history.history);
  EXPECT_EQ(difference(got.weights, want.weights), 0);
  EXPECT_EQ(text_of(folder / "parts/log.csv"), text_of(folder / "whole/log.csv"));
  EXPECT_EQ(text_of(folder / "parts/best.safetensors"), text_of(folder / "whole/best.safetensors"));
}

TEST(BackupAndRestore, WhatCallbacksRememberIsKept) { expect_callbacks_go_on("epoch", 2, 4); }
TEST(BackupAndRestore, WhatCallbacksRememberIsKeptInsideAnEpoch) {
  expect_callbacks_go_on(3, 3, 4);
}

// A run that ended between its last backup and its end has only to end.
TEST(BackupAndRestore, AStoppedRunStaysStopped) {
  const TemporaryFolder folder;
  const Outcome want = fit_with(that_remember(folder / "whole"));
  const auto backup = callbacks::BackupAndRestore({.backup_dir = folder / "backup"});
  auto crashing = that_remember(folder / "parts");
  crashing.push_back(
      callbacks::LambdaCallback({.on_train_end = [](const Logs&) { throw Crash(); }}));
  EXPECT_THROW(fit_with(crashing, backup), Crash);
  const Outcome got = fit_with(that_remember(folder / "parts"), backup);
  EXPECT_EQ(got.history.history, want.history.history);
  EXPECT_EQ(difference(got.weights, want.weights), 0);
  EXPECT_EQ(text_of(folder / "parts/log.csv"), text_of(folder / "whole/log.csv"));
}

Sequential averaged() {
  set_random_seed(5);
  Sequential model({Input({.shape = {features}}), layers::Dense({.units = classes})});
  model.compile({.optimizer = optimizers::Adam({.use_ema = true, .ema_momentum = 0.5}),
                 .loss = "sparse_categorical_crossentropy"});
  return model;
}

TEST(BackupAndRestore, WeightsThatAreSwappedForAveragesComeBackSo) {
  const auto swap = [] { return callbacks::SwapEMAWeights({.swap_on_epoch = true}); };
  const Outcome want = fit_with({swap()}, nullptr, averaged());
  const TemporaryFolder folder;
  const auto backup = callbacks::BackupAndRestore({.backup_dir = folder / "backup"});
  EXPECT_THROW(fit_with({swap(), crash_at(4, 2)}, backup, averaged()), Crash);
  const Outcome got = fit_with({swap()}, backup, averaged());
  EXPECT_EQ(difference(got.weights, want.weights), 0);
}

// A callback of one's own, which counts batches.
struct Counter : Callback, callbacks::Resumable {
  bool wants_batches() const override { return true; }
  void on_train_begin(const Logs&) override { count = 0; }
  void on_train_batch_end(int64_t, const Logs&) override { ++count; }
  std::string kind() const override { return "Counter"; }
  callbacks::CallbackState state() const override { return {Config::map({{"count", count}}), {}}; }
  void resume(const callbacks::CallbackState& state) override {
    count = state.values.find("count")->as_int();
  }
  int64_t count = 0;
};

TEST(BackupAndRestore, CallbacksOfOnesOwnAndOfOneKindAreToldApart) {
  const TemporaryFolder folder;
  const auto backup = callbacks::BackupAndRestore({.backup_dir = folder / "backup"});
  const auto one = std::make_shared<Counter>(), other = std::make_shared<Counter>();
  EXPECT_THROW(fit_with({one, crash_at(4, 2)}, backup), Crash);
  fit_with({one, other}, backup);
  EXPECT_EQ(one->count, 9 * 7);
  EXPECT_EQ(other->count, 5 * 7);  // it was not there before
}

TEST(BackupAndRestore, AnotherModelsBackupIsRefused) {
  const auto data = samples(20);
  const TemporaryFolder folder;
  const auto backup =
      callbacks::BackupAndRestore({.backup_dir = folder / "backup", .delete_checkpoint = false});
  with_dropout().fit(data.x, data.y, {.verbose = 0, .callbacks = {backup}});
  auto other = classifier();
  EXPECT_ERROR(other.fit(data.x, data.y, {.verbose = 0, .callbacks = {backup}}),
               "is not a backup of model");
}

TEST(BackupAndRestore, ArgumentsAreChecked) {
  EXPECT_THROW(callbacks::BackupAndRestore({}), InvalidArgument);
  EXPECT_THROW(callbacks::BackupAndRestore({.backup_dir = "x", .save_freq = "batch"}),
               InvalidArgument);
}

}  // namespace
}  // namespace stoker
