#include "stoker/callbacks/backup_and_restore.h"

#include <filesystem>

#include "nn/test_models.h"
#include "stoker/callbacks/lambda_callback.h"
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
