#include <gtest/gtest.h>

#include <algorithm>

#include "report/test_record.h"

namespace stoker::report {
namespace {

const RunComparison::Figure& figure_of(const RunComparison& found, const std::string& name) {
  return *std::ranges::find(found.figures, name, &RunComparison::Figure::name);
}

TEST(CompareRuns, SaysWhatChangedAndByHowMuch) {
  const RunRecord a = some_record();
  RunRecord b = a;
  b.account.samples_per_second = 800;
  b.account.parts = {{"working", 4}, {"launch", 2}};
  b.curves[0].values = {2.5, 1, 0.25};
  b.settings = {{"fit.batch_size", "64"}, {"fit.epochs", "3"}};
  b.model[0].parameters = 5000;
  b.environment.clear();
  const RunComparison found = compare_runs(a, b);
  EXPECT_EQ(found.verdict,
            "B is 2.00 times as fast as A. 2 settings, 1 layer of the model and 1 fact of the "
            "environment differ.");
  EXPECT_DOUBLE_EQ(figure_of(found, "step").a, 0.08);
  EXPECT_DOUBLE_EQ(figure_of(found, "step").b, 0.04);
  EXPECT_DOUBLE_EQ(figure_of(found, "input a step").a, 0.05);
  EXPECT_DOUBLE_EQ(figure_of(found, "input a step").b, 0);
  EXPECT_DOUBLE_EQ(figure_of(found, "launch a step").b, 0.02);
  EXPECT_DOUBLE_EQ(figure_of(found, "last loss").b, 0.25);
  ASSERT_EQ(found.layers.size(), 1u);
  EXPECT_DOUBLE_EQ(found.layers[0].b, 0.03);
  EXPECT_EQ(found.settings[1].name, "fit.epochs");
  EXPECT_EQ(found.settings[1].a, "");
  EXPECT_NE(found.to_string().find("-50.0 %"), std::string::npos) << found.to_string();
}

// The last batch of an epoch may be smaller than the others.
TEST(CompareRuns, AStepIsThatOfTheAccount) {
  RunRecord a = some_record();
  a.account.step_seconds = 0.07;
  EXPECT_DOUBLE_EQ(figure_of(compare_runs(a, some_record()), "step").a, 0.07);
}

TEST(CompareRuns, OfTheSameFindNothing) {
  const RunComparison found = compare_runs(some_record(), some_record());
  EXPECT_TRUE(found.settings.empty() && found.model.empty() && found.environment.empty());
  EXPECT_EQ(found.verdict.find("Both are as fast, within 2 %."), 0u);
}

TEST(CompareRuns, OfNothingSaySo) {
  const RunComparison found = compare_runs(RunRecord(), some_record());
  EXPECT_EQ(found.verdict.find("The step times are not known."), 0u);
  EXPECT_TRUE(found.to_config().find("figures")->as_list()[1].find("a")->is_null());
}

}  // namespace
}  // namespace stoker::report
