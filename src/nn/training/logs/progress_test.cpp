#include "nn/training/logs/progress.h"

#include <gtest/gtest.h>

namespace stoker::nn {
namespace {

TEST(Progress, FormatsDurations) {
  EXPECT_EQ(format_duration(431e-6), "431us");
  EXPECT_EQ(format_duration(0.012), "12ms");
  EXPECT_EQ(format_duration(3.2), "3s");
  EXPECT_EQ(format_duration(65), "1:05");
  EXPECT_EQ(format_duration(3600 + 62), "1:01:02");
  EXPECT_EQ(format_duration(59.7), "1:00");
}

TEST(Progress, ShowsSmallValuesInFull) {
  Logs logs;
  logs.set("accuracy", 0.83125);
  logs.set("loss", 0.00012345);
  EXPECT_EQ(format_logs(logs), " - accuracy: 0.8313 - loss: 1.2345e-04");
}

TEST(Progress, IsPlainLinesWhereThereIsNoTerminal) {
  ::testing::internal::CaptureStdout();
  Logs logs;
  logs.set("loss", 0.5);
  Progress progress(1, 10);
  progress.begin_epoch(0, 2);
  EXPECT_FALSE(progress.due(ledger::now() + 1'000'000'000));
  progress.finish(10, 0.002, logs);
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_TRUE(text.starts_with("Epoch 1/2\n10/10 ")) << text;
  EXPECT_TRUE(text.ends_with(" 2ms/step - loss: 0.5000\n")) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(Progress, MarksAnEpochThatWasInterrupted) {
  ::testing::internal::CaptureStdout();
  Progress progress(2, 10);
  progress.begin_epoch(0, 2);
  progress.finish(7, {}, {}, false);
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_TRUE(text.starts_with("Epoch 1/2\n 7/10 ")) << text;
  EXPECT_TRUE(text.ends_with(" - interrupted\n")) << text;
}

TEST(Progress, IsSilentWhenAskedTo) {
  ::testing::internal::CaptureStdout();
  Progress progress(0, 10);
  progress.begin_epoch(0, 2);
  progress.finish(10, {}, {});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST(ProgressLine, FitsTheTerminalByLeavingOutTheEnd) {
  EXPECT_EQ(cut_to_width("5/10 ━━── loss", 20), "5/10 ━━── loss");
  EXPECT_EQ(cut_to_width("5/10 ━━── loss", 14), "5/10 ━━── loss");
  EXPECT_EQ(cut_to_width("5/10 ━━── loss", 9), "5/10 ━━─…");
}

}  // namespace
}  // namespace stoker::nn
