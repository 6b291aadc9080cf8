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

TEST(Ledger, ARunMayHaveBegunEarlier) {
  const testing::FakeClock clock;
  const Time called = now();
  clock.pass(30);
  Ledger ledger;
  ledger.start();
  ledger.began_earlier(called, Activity::setup);
  clock.pass(5);
  ledger.stop();
  EXPECT_EQ(ledger.wall(), 35);
  EXPECT_EQ(ledger.begun(), called);
  EXPECT_EQ(ledger.total(Activity::setup), 30);
  EXPECT_EQ(ledger.unexplained(), 5);
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

TEST(Ledger, KnowsWhatIsOpen) {
  const testing::FakeClock clock;
  Ledger ledger;
  ledger.start();
  EXPECT_EQ(ledger.doing(), Activity::count);
  const Scope validation(ledger, Activity::validation);
  clock.pass(10);
  {
    const Scope callback(ledger, Activity::callback);
    clock.pass(200);
  }
  clock.pass(3000);
  const Scope input(ledger, Activity::input);
  clock.pass(40000);
  EXPECT_EQ(ledger.doing(), Activity::input);
  const Times totals = ledger.totals_until(now());
  EXPECT_EQ(totals[static_cast<size_t>(Activity::validation)], 3010);
  EXPECT_EQ(totals[static_cast<size_t>(Activity::callback)], 200);
  EXPECT_EQ(totals[static_cast<size_t>(Activity::input)], 40000);
  EXPECT_EQ(ledger.total(Activity::validation), 0);
  const Ledger copy = ledger;
  EXPECT_EQ(copy.doing(), Activity::count);
  EXPECT_EQ(copy.totals_until(now()), copy.totals());
}

TEST(Ledger, AScopeMayEndWithAnotherActivity) {
  const testing::FakeClock clock;
  Ledger ledger;
  ledger.start();
  {
    const Scope setup(ledger, Activity::setup);
    clock.pass(1);
    Scope step(ledger, Activity::step);
    clock.pass(100);
    step.ends_with(Activity::host_calls, 30);
  }
  EXPECT_EQ(ledger.total(Activity::setup), 1);
  EXPECT_EQ(ledger.total(Activity::step), 70);
  EXPECT_EQ(ledger.total(Activity::host_calls), 30);
}

// Time stands still until the clock is where it was.
TEST(Ledger, AClockThatJumpsBackMakesNoTimeNegative) {
  const testing::FakeClock clock;
  Ledger ledger;
  ledger.start();
  {
    const Scope callback(ledger, Activity::callback);
    clock.pass(100);
    {
      const Scope metrics(ledger, Activity::metrics);
      clock.pass(20);
    }
    clock.pass(-1000);
    const Scope step(ledger, Activity::step);
    clock.pass(50);
  }
  EXPECT_EQ(ledger.wall_until(now()), 120);
  clock.pass(1000);
  ledger.stop();
  EXPECT_EQ(ledger.total(Activity::callback), 100);
  EXPECT_EQ(ledger.total(Activity::metrics), 20);
  EXPECT_EQ(ledger.total(Activity::step), 0);
  EXPECT_EQ(ledger.wall(), 170);
  EXPECT_EQ(ledger.unexplained(), 50);
  ledger.record(Activity::input, 10, 5);
  EXPECT_EQ(ledger.total(Activity::input), 0);
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
