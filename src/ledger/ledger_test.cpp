#include "ledger/ledger.h"

#include <gtest/gtest.h>

#include "support/fake_clock.h"

namespace stoker::ledger {
namespace {

TEST(Ledger, PartsAddUpToTheWall) {
  Ledger ledger;
  ledger.start();
  const Time t = now();
  ledger.record(Activity::input, t, t + 10);
  ledger.record(Activity::step, t + 10, t + 110);
  ledger.record(Activity::step, t + 110, t + 210);
  ledger.stop();
  EXPECT_EQ(ledger.total(Activity::step), 200);
  EXPECT_EQ(ledger.total(Activity::input), 10);
  EXPECT_EQ(ledger.unexplained() + 210, ledger.wall());
}

TEST(Ledger, AScopeInsideAnotherCountsOnce) {
  const testing::FakeClock clock;
  Ledger ledger;
  ledger.start();
  {
    const Scope callbacks(ledger, Activity::callback);
    clock.pass(1);
    for (const Time spent : {20, 300}) {
      const Scope saving(ledger, Activity::checkpoint);
      clock.pass(spent);
      const Scope reading(ledger, Activity::metrics);
      clock.pass(4000);
    }
    clock.pass(50000);
  }
  clock.pass(600000);
  ledger.stop();
  EXPECT_EQ(ledger.total(Activity::callback), 50001);
  EXPECT_EQ(ledger.total(Activity::checkpoint), 320);
  EXPECT_EQ(ledger.total(Activity::metrics), 8000);
  EXPECT_EQ(ledger.unexplained(), 600000);
  EXPECT_EQ(ledger.wall(), 658321);
}

TEST(LedgerRing, KeepsTheLatestEventsInOrder) {
  Ledger ledger;
  ledger.start();
  for (Time i = 0; i < static_cast<Time>(Ledger::capacity) + 5; ++i)
    ledger.record(Activity::step, i, i + 1);
  const auto events = ledger.latest();
  ASSERT_EQ(events.size(), Ledger::capacity);
  EXPECT_EQ(events.front().begin, 5);
  EXPECT_EQ(events.back().begin, static_cast<Time>(Ledger::capacity) + 4);
}

TEST(Ledger, LineNamesOnlyWhatHappened) {
  Ledger ledger;
  ledger.start();
  ledger.record(Activity::step, 0, 2'000'000);
  ledger.stop();
  EXPECT_NE(ledger.line().find("step 2.00 ms"), std::string::npos);
  EXPECT_EQ(ledger.line().find("input"), std::string::npos);
  EXPECT_NE(ledger.line().find("unexplained"), std::string::npos);
}

}  // namespace
}  // namespace stoker::ledger
