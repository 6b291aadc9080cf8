#include <filesystem>
#include <future>

#include "nn/callbacks/checkpoint_folder.h"
#include "nn/callbacks/test_backup.h"
#include "nn/model_impl.h"
#include "nn/training/session.h"
#include "support/fake_gpu.h"

// Checkpoints that are damaged, do not match, or cannot be written.
namespace stoker {
namespace {

using namespace test;

void change_byte(const std::string& path, size_t at) {
  std::string bytes = text_of(path);
  bytes[at % bytes.size()] = static_cast<char>(bytes[at % bytes.size()] ^ 0x10);
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(BackupAndRestore, ADamagedCheckpointIsNoticedAndTheOneBeforeIsUsed) {
  const auto data = samples(50);
  auto whole = with_dropout();
  whole.fit(data.x, data.y, {.batch_size = 8, .epochs = 4, .verbose = 0});
  const TemporaryFolder folder;
  for (int64_t epoch : {1, 2})
    EXPECT_THROW(
        with_dropout().fit(data.x, data.y, with_backup(folder / "backup", {crash_at(epoch, 4)})),
        Crash);
  const std::string latest = folder / "backup" + "/latest.safetensors",
                    previous = folder / "backup" + "/previous.safetensors";
  const std::string good = text_of(latest), before = text_of(previous);
  for (size_t at = 0; at < good.size(); at += good.size() / 7) {
    change_byte(latest, at);
    auto again = with_dropout();
    ::testing::internal::CaptureStderr();
    again.fit(data.x, data.y, with_backup(folder / "backup"));
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("The checkpoint before it is used."), said.npos) << at << said;
    EXPECT_EQ(difference(again.get_weights(), whole.get_weights()), 0) << at;
    std::filesystem::create_directories(folder / "backup");
    std::ofstream(latest, std::ios::binary) << good;
    std::ofstream(previous, std::ios::binary) << before;
  }
  change_byte(latest, good.size() / 2);
  change_byte(previous, before.size() - 1);
  EXPECT_ERROR(with_dropout().fit(data.x, data.y, with_backup(folder / "backup")), "is damaged");
}

TEST(BackupAndRestore, EveryDamagedByteIsNoticed) {
  const TemporaryFolder folder;
  const nn::CheckpointFolder checkpoints(folder / "backup");
  std::filesystem::create_directories(folder / "backup");
  checkpoints.write({{{"a", random_array({3})}}, {.seed = 5, .epoch = 2}});
  const std::string path = folder / "backup" + "/latest.safetensors", good = text_of(path);
  for (size_t at = 0; at < good.size(); ++at) {
    change_byte(path, at);
    EXPECT_THROW(checkpoints.read(), IoError) << at;
    change_byte(path, at);
  }
  EXPECT_EQ(checkpoints.read()->checkpoint.at.epoch, 2);
}

TEST(BackupAndRestore, InsideAnEpochTheBatchesMustBeTheSame) {
  const auto data = samples(50);
  const TemporaryFolder folder;
  EXPECT_THROW(with_dropout().fit(data.x, data.y, with_backup(folder / "backup", {crash_at(2, 4)})),
               Crash);
  FitArgs args = with_backup(folder / "backup");
  args.batch_size = 16;
  EXPECT_ERROR(with_dropout().fit(data.x, data.y, args), "with batch_size 8 on 50 samples");
}

TEST(BackupAndRestore, WhatCannotBeWrittenEndsTheTraining) {
  const auto data = samples(50);
  const TemporaryFolder folder;
  const auto remove = callbacks::LambdaCallback({.on_epoch_begin = [&](int64_t epoch, const Logs&) {
    if (epoch == 1) {
      // Atomically: the writer thread may be creating a file in the folder.
      std::filesystem::rename(folder / "backup", folder / "moved");
      std::ofstream(folder / "backup") << "a file in its place";
    }
  }});
  EXPECT_THROW(with_dropout().fit(data.x, data.y, with_backup(folder / "backup", {remove})),
               IoError);
}

TEST(BackupAndRestore, WeightsThatAreNotFiniteAreNotSaved) {
  const TemporaryFolder folder;
  auto model = with_dropout();
  const auto data = samples(50);
  const auto spoil = callbacks::LambdaCallback({.on_epoch_begin = [&](int64_t epoch, const Logs&) {
    if (epoch == 2)
      model.weights()[0].set(
          Array::from<float>(std::vector<float>(features * 8, NAN), {features, 8}));
  }});
  const auto backup =
      callbacks::BackupAndRestore({.backup_dir = folder / "backup", .delete_checkpoint = false});
  model.fit(data.x, data.y,
            {.batch_size = 8, .epochs = 4, .verbose = 0, .callbacks = {spoil, backup}});
  const auto found = nn::CheckpointFolder(folder / "backup").read();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->checkpoint.at.epoch, 2);
}

class BackupOnADevice : public stoker::testing::FakeGpu {};

// The writer starts when several backups are queued: of these the latest with finite weights is
// written.
TEST_F(BackupOnADevice, IsNotOvertakenByWeightsThatAreNotFinite) {
  const TemporaryFolder folder;
  auto model = with_dropout();
  const auto data = samples(50);
  std::promise<void> begin;
  const auto spoil = callbacks::LambdaCallback({.on_epoch_begin = [&](int64_t epoch, const Logs&) {
    if (epoch == 0)
      model.impl().fits.running->writer.submit("other", [&] { begin.get_future().wait(); });
    if (epoch == 2)
      model.weights()[0].set(
          Array::from<float>(std::vector<float>(features * 8, NAN), {features, 8}));
    if (epoch == 3) begin.set_value();
  }});
  const auto backup =
      callbacks::BackupAndRestore({.backup_dir = folder / "backup", .delete_checkpoint = false});
  model.fit(data.x, data.y,
            {.batch_size = 8, .epochs = 4, .verbose = 0, .callbacks = {spoil, backup}});
  const auto found = nn::CheckpointFolder(folder / "backup").read();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->checkpoint.at.epoch, 2);
}

TEST(BackupAndRestore, AnotherModelsBackupIsRefused) {
  const auto data = samples(20);
  const TemporaryFolder folder;
  const auto backup =
      callbacks::BackupAndRestore({.backup_dir = folder / "backup", .delete_checkpoint = false});
  with_dropout().fit(data.x, data.y, {.verbose = 0, .callbacks = {backup}});
  auto other = classifier();
  EXPECT_ERROR(other.fit(data.x, data.y, {.verbose = 0, .callbacks = {backup}}),
               "is not a checkpoint of model");
}

TEST(BackupAndRestore, ArgumentsAreChecked) {
  EXPECT_THROW(callbacks::BackupAndRestore({}), InvalidArgument);
  EXPECT_THROW(callbacks::BackupAndRestore({.backup_dir = "x", .save_freq = "batch"}),
               InvalidArgument);
}

}  // namespace
}  // namespace stoker
