#include "nn/training/logs/live_view.h"

#include <gtest/gtest.h>

namespace stoker::nn {
namespace {

const std::vector<Account::Part> starved{{"input", 6}, {"working", 3.8}, {"unexplained", 0.2}};

TEST(LiveView, SaysHowBusyTheDeviceIsAndWhatItWaitsFor) {
  EXPECT_EQ(waiting_text(starved), " - working 38 %, waits: input");
  EXPECT_EQ(waiting_text({{"working", 9.9}, {"input", 0.1}}), " - working 99 %");
}

TEST(LiveView, DrawsTheLossAsACurve) {
  EXPECT_EQ(sparkline({8, 1, 8}, 10), "█▁█");
  EXPECT_EQ(sparkline({1}, 10), "");
  EXPECT_EQ(sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 2), "▁█");
}

TEST(LiveView, ShowsPartsMemoryAndMetrics) {
  Account account{.device = "/gpu:0", .samples_per_second = 1234, .parts = starved};
  account.memory_used = 1 << 30;
  account.memory = 4LL << 30;
  Logs logs;
  logs.set("loss", 2);
  LiveView view;
  view.draw({0, 2, 3, 10, logs, account});
  logs.set("loss", 1);
  const std::string text = view.draw({0, 2, 4, 10, logs, account});
  for (const char* part : {"epoch 1/2  step 4/10  1234 samples/s", "input", "60 %",
                           "1.00 GB of 4.00 GB", "loss         1  █▁"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(LiveView, KeepsTheWholeCurveInFewValues) {
  LiveView view;
  std::string text;
  for (int i = 0; i < 10000; ++i) {
    Logs logs;
    logs.set("loss", 10000 - i);
    text = view.draw({0, 1, i, 0, logs, Account()});
  }
  EXPECT_NE(text.find("█"), std::string::npos);  // the beginning is still there
  EXPECT_NE(text.find("▁"), std::string::npos);
}

}  // namespace
}  // namespace stoker::nn
