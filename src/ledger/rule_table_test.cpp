#include "ledger/rule_table.h"

#include <gtest/gtest.h>

namespace stoker::ledger {
namespace {

using enum Condition::Test;
using Unit = Figures::Unit;

std::vector<Rule> two_rules() {
  return {{.cause = "hot",
           .sentence = "It is {degrees} hot.",
           .remedy = "Open {windows} windows.",
           .when = {{"degrees", at_least, 0.5}, {"windows", below, 3, true}},
           .show = {"wind"},
           .bound = [](const Figures& f) { return f.find("degrees"); },
           .bound_text = "degrees"},
          {.cause = "any", .sentence = "Always.", .remedy = "Nothing."}};
}

TEST(RuleTable, AllConditionsMustHoldAndTheOrderIsTheTables) {
  Figures figures;
  figures.set("degrees", 0.5, Unit::share);
  figures.set("windows", 2, Unit::count);
  auto verdicts = judge(two_rules(), figures);
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].sentence, "It is 50 % hot.");
  EXPECT_EQ(verdicts[0].remedy, "Open 2 windows.");
  EXPECT_EQ(verdicts[0].bound, 0.5);
  figures.set("windows", 3, Unit::count);
  verdicts = judge(two_rules(), figures);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].cause, "any");
}

TEST(RuleTable, AnAbsentFigureHoldsOnlyWhereTheRuleSaysSo) {
  Figures figures;
  EXPECT_FALSE(holds(Condition{"degrees", at_least, 0}, figures));
  EXPECT_FALSE(holds(Condition{"degrees", below, 1}, figures));
  EXPECT_TRUE(holds(Condition{"degrees", below, 1, true}, figures));
  EXPECT_TRUE(holds(Condition{"degrees", absent}, figures));
  figures.set("degrees", 0.7, Unit::share);
  EXPECT_FALSE(holds(Condition{"degrees", absent}, figures));
}

TEST(RuleTable, EvidenceIsWhatWasMeasuredOnce) {
  Figures figures;
  figures.set("degrees", 0.9, Unit::share);
  figures.set("wind", 2048, Unit::bytes_per_second);
  const Verdict hot = judge(two_rules(), figures).at(0);
  ASSERT_EQ(hot.evidence.size(), 2u);
  EXPECT_EQ(hot.evidence[0].first, "degrees");
  EXPECT_EQ(hot.evidence[1].second, "2.00 KB/s");
}

TEST(RuleTable, ACauseIsNamedOnce) {
  auto rules = two_rules();
  rules.push_back(rules.back());
  EXPECT_EQ(judge(rules, Figures()).size(), 1u);
}

TEST(RuleTable, WhatIsNotANumberIsAbsent) {
  Figures figures;
  figures.set("degrees", 0.0 / 0.0, Unit::share);
  EXPECT_EQ(figures.find("degrees"), std::nullopt);
  EXPECT_EQ(figures.text("degrees"), "unknown");
}

}  // namespace
}  // namespace stoker::ledger
