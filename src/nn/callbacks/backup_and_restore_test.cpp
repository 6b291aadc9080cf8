#include "stoker/callbacks/backup_and_restore.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "nn/callbacks/test_backup.h"
#include "stoker/callbacks/csv_logger.h"
#include "stoker/callbacks/early_stopping.h"
#include "stoker/callbacks/model_checkpoint.h"
#include "stoker/callbacks/reduce_lr_on_plateau.h"
#include "stoker/callbacks/resumable.h"
#include "stoker/callbacks/swap_ema_weights.h"
#include "stoker/gradient_tape.h"
#include "stoker/ops/random.h"
#include "stoker/optimizers/adam.h"

namespace stoker {
namespace {

using namespace test;

CallbackRef interrupt_at(int64_t epoch, int64_t batch) {
  const auto at = std::make_shared<int64_t>(0);
  return callbacks::LambdaCallback({.on_epoch_begin = [at](int64_t now, const Logs&) { *at = now; },
                                    .on_train_batch_end =
                                        [at, epoch, batch](int64_t done, const Logs&) {
                                          if (*at == epoch && done == batch) interrupt();
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
  EXPECT_FALSE(std::filesystem::exists(folder / "backup"));  // removed, since training has finished
}

TEST(BackupAndRestore, GoesOnExactlyAfterAnEpoch) { expect_resumed_run_is_the_same("epoch", {}); }
TEST(BackupAndRestore, GoesOnExactlyInsideAnEpoch) { expect_resumed_run_is_the_same(2, {}); }
TEST(BackupAndRestore, GoesOnExactlyWhereEpochsCutTheDataAnew) {
  expect_resumed_run_is_the_same(1, {.steps_per_epoch = 5});
}

// The loss never improves by 10: the learning rate is halved every second epoch, and the fourth
// epoch is the last.
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

  // Regardless of its position in the list, the backup is made after the other callbacks.
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

// A run that was killed between its last backup and its end has nothing left to train.
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

// A user-defined callback that counts batches.
struct Counter : Callback, callbacks::Resumable {
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
  EXPECT_EQ(other->count, 5 * 7);  // it did not exist before
}

// Two networks, each with its own optimizer, and a counter variable that the step updates.
class Adversaries : public Model {
 public:
  Adversaries() : Adversaries(network(features), network(1)) {}
  StepLogs train_step(const StepData& data) override {
    drawn_.assign(drawn_.read() + 1.0);
    const Tensor noise = ops::random_normal(data.x[0].shape(), 1, drawn_);
    const Tensor loss = learn(*judge_optimizer_, judge_, [&] {
      return ops::mean(ops::square(judge_(data.x[0]) - 1.0)) +
             ops::mean(ops::square(judge_(maker_(noise))));
    });
    learn(*maker_optimizer_, maker_,
          [&] { return ops::mean(ops::square(judge_(maker_(noise)) - 1.0)); });
    return {{"judge", loss}};
  }

 private:
  Adversaries(const LayerRef& maker, const LayerRef& judge)
      : Model({{"maker", maker}, {"judge", judge}}), maker_(maker), judge_(judge) {
    compile();
  }
  static LayerRef network(int64_t units) {
    set_random_seed(7);
    return Sequential({Input({.shape = {features}}),
                       layers::Dense({.units = 6, .activation = "tanh"}),
                       layers::Dropout({.rate = 0.2}), layers::Dense({.units = units})});
  }
  template <class F>
  static Tensor learn(Optimizer& optimizer, const LayerRef& network, F loss_of) {
    GradientTape tape;
    const Tensor loss = loss_of();
    const auto variables = network->trainable_variables();
    optimizer.apply_gradients(tape.gradient(loss, variables), variables);
    return loss;
  }
  LayerRef maker_, judge_;
  OptimizerRef maker_optimizer_ = optimizers::Adam({.learning_rate = 0.02}),
               judge_optimizer_ = optimizers::Adam({.learning_rate = 0.03});
  Variable drawn_ = Variable(Array::scalar(int64_t{0}), "drawn", false);
};

TEST(BackupAndRestore, OptimizersOfATrainStepsOwnAreKept) {
  const auto x = samples(50).x;
  for (const Config& save_freq : {Config("epoch"), Config(3)}) {
    const TemporaryFolder folder;
    FitArgs args{.batch_size = 8, .epochs = 5, .verbose = 0};
    Adversaries whole;
    whole.fit(x, {}, args);
    const auto backup =
        callbacks::BackupAndRestore({.backup_dir = folder / "backup", .save_freq = save_freq});
    args.callbacks = {backup, crash_at(3, 4)};
    EXPECT_THROW(Adversaries().fit(x, {}, args), Crash);
    args.callbacks = {backup};
    Adversaries again;
    again.fit(x, {}, args);
    EXPECT_EQ(difference(again.get_weights(), whole.get_weights()), 0);
  }
}

// The resuming program may have created other random layers before: seeds are part of the state.
TEST(BackupAndRestore, RandomLayersGoOnWhateverTheirSeedIsNow) {
  const auto data = samples(50);
  const TemporaryFolder folder;
  auto whole = with_dropout();
  whole.fit(data.x, data.y, {.batch_size = 8, .epochs = 4, .verbose = 0});
  EXPECT_THROW(with_dropout().fit(data.x, data.y, with_backup(folder / "backup", {crash_at(2, 4)})),
               Crash);
  auto again = with_dropout(99);
  again.fit(data.x, data.y, with_backup(folder / "backup"));
  EXPECT_EQ(difference(again.get_weights(), whole.get_weights()), 0);
}

TEST(BackupAndRestore, AnInterruptedEpochGoesOnExactly) {
  const TemporaryFolder folder;
  const Outcome want = fit_with(that_remember(folder / "whole"));
  const auto backup = [&] {
    return callbacks::BackupAndRestore({.backup_dir = folder / "backup"});
  };
  auto stopping = that_remember(folder / "parts");
  stopping.push_back(interrupt_at(2, 3));
  fit_with(stopping, backup());
  const Outcome got = fit_with(that_remember(folder / "parts"), backup());
  EXPECT_EQ(got.history.history, want.history.history);
  EXPECT_EQ(difference(got.weights, want.weights), 0);
  EXPECT_EQ(text_of(folder / "parts/log.csv"), text_of(folder / "whole/log.csv"));
}

// Validation uses the same metric states as training.
TEST(BackupAndRestore, AnEpochInterruptedInItsValidationGoesOnExactly) {
  const auto data = samples(50), others = samples(30);
  const TemporaryFolder folder;
  FitArgs args{.batch_size = 8, .epochs = 4, .verbose = 0};
  args.validation_data = ValidationData{others.x, others.y};
  const History want = with_dropout().fit(data.x, data.y, args);
  int64_t batches = 0;
  const auto backup = callbacks::BackupAndRestore({.backup_dir = folder / "backup"});
  args.callbacks = {backup,
                    callbacks::LambdaCallback({.on_test_batch_end = [&](int64_t, const Logs&) {
                      if (++batches == 6) interrupt();  // the second batch of the second epoch
                    }})};
  EXPECT_TRUE(with_dropout().fit(data.x, data.y, args).interrupted);
  args.callbacks = {backup};
  const History got = with_dropout().fit(data.x, data.y, args);
  EXPECT_EQ(got.epoch, want.epoch);
  EXPECT_EQ(got.history, want.history);
}

TEST(BackupAndRestore, SaysWhatItResumed) {
  const auto data = samples(50);
  const TemporaryFolder folder;
  EXPECT_THROW(with_dropout().fit(data.x, data.y, with_backup(folder / "backup", {crash_at(2, 4)})),
               Crash);
  FitArgs args = with_backup(folder / "backup");
  args.verbose = 2;
  ::testing::internal::CaptureStdout();
  with_dropout().fit(data.x, data.y, args);
  const std::string text = ::testing::internal::GetCapturedStdout();
  const std::string said =
      "resumed from " + folder / "backup" + "/latest.safetensors: epoch 3, batch 5\n";
  EXPECT_EQ(text.find(said), 0U) << text;
}

}  // namespace
}  // namespace stoker
