#include <fstream>

#include "ledger/run_rules.h"
#include "ledger/test_facts.h"
#include "test_places.h"

// With synthetic facts: the parts, the first cause and the prediction.
namespace stoker::ledger {
namespace {

using namespace test;

TEST(Account, AWellFedRunHasNoAdvice) {
  const Account account = account_of(well_fed_run());
  EXPECT_TRUE(account.advice.empty());
  EXPECT_EQ(account.verdict, "The device is well fed: it works 100 % of the time.");
  EXPECT_NEAR(account.step_seconds, 0.01, 1e-6);
  EXPECT_NEAR(account.busy, 1, 1e-3);
}

TEST(Account, PartsAddUpWithTheUnexplainedAndItsOwnCostLast) {
  RunFacts facts = with(Activity::metrics, ms);
  facts.wall += 50 * ms;
  facts.stamps = 1000;
  const Account account = account_of(facts);
  EXPECT_NEAR(sum_of(account), 1.15, 1e-9);
  const size_t last = account.parts.size() - 1;
  EXPECT_EQ(account.parts[0].cause, "working");
  EXPECT_EQ(account.parts[last].cause, "own cost");
  EXPECT_GT(account.parts[last].seconds, 0);
  EXPECT_EQ(account.parts[last - 1].cause, "unexplained");
  EXPECT_NEAR(account.parts[last - 1].seconds, 0.05, 0.002);
}

TEST(Account, TheRoundingOfSumsIsNotUnexplained) {
  RunFacts facts = well_fed_run();
  facts.on_host = false;
  facts.measured =
      DeviceTime{.busy = 333'333'333, .copies = 211'111'111, .launch = 455'555'556};  // 1 s
  const Account account = account_of(facts);
  const Account::Part& unexplained = account.parts.at(account.parts.size() - 2);
  EXPECT_EQ(unexplained.cause, "unexplained");
  EXPECT_EQ(unexplained.seconds, 0);
}

// On a busy machine the thread may lose its core while the cost is measured.
TEST(Account, TheCostOfAStampIsThatOfAnUndisturbedOne) {
  static Time time;
  static int calls;
  time = calls = 0;
  const Clock disturbed = [] { return time += 20 + (++calls % 300 == 0 ? 10 * ms : 0); };
  EXPECT_DOUBLE_EQ(cost_of_a_stamp(disturbed), 20);
}

TEST(Account, SumsOverRanksAreCommunication) {
  RunFacts facts = with(Activity::step, 5 * ms);
  facts.ranks = {.count = 2, .communication = steps * 4 * ms, .imbalance = steps * ms};
  expect_first(facts, "communication", 0.011);
  EXPECT_NEAR(account_of(facts).busy, 1, 1e-3);
}

// The rank that the others wait for has no waiting in its own parts.
TEST(Account, NamesTheRankThatIsWaitedFor) {
  RunFacts facts = well_fed_run();
  facts.ranks = {.count = 3, .late = 0, .for_late = 2 * facts.wall / 4};
  expect_first(facts, "imbalance", 0.0075);
  EXPECT_NE(account_of(facts).verdict.find("wait 25 % of the time for rank 0"), std::string::npos);
  facts.ranks.for_late /= 10;
  EXPECT_TRUE(account_of(facts).advice.empty());
}

TEST(Account, NamesWhatBreaksIntoTheLoop) {
  RunFacts facts = with(Activity::host_calls, 5 * ms);
  expect_first(facts, "host_op", 0.01);
  facts = with(Activity::checkpoint, 20 * ms);
  facts.checkpoints = steps;
  expect_first(facts, "checkpoint", 0.01);
  facts = with(Activity::callback, 5 * ms);
  facts.batch_hooks = steps;
  facts.places.callback_name = "PrintLoss";
  expect_first(facts, "callback", 0.01);
  facts = with(Activity::metrics, 5 * ms);
  facts.batch_hooks = steps;
  expect_first(facts, "metrics", 0.01);
  facts = with(Activity::compile, 50 * ms);
  facts.late_compiles = steps;
  expect_first(facts, "recompile", 0.01);
}

// Neither part alone is large enough for advice.
TEST(Account, WhatCallbacksAndTheirMetricsTakeCountsTogether) {
  RunFacts facts = with(Activity::metrics, ms / 2);
  facts.host[at(Activity::callback)] = steps * ms * 2 / 5;
  facts.wall += steps * ms * 2 / 5;
  facts.batch_hooks = steps;
  expect_first(facts, "metrics", 0.01);
  std::swap(facts.host[at(Activity::callback)], facts.host[at(Activity::metrics)]);
  expect_first(facts, "callback", 0.01);
  EXPECT_EQ(account_of(facts).advice.size(), 1u);
}

TEST(Account, NamesTheStageThatLimitsTheInput) {
  expect_first(waiting_for({stage("slices", 0, false), stage("map", 0.04, false, 1)}),
               "serial_stage", 0.01);
  // Even all threads together would be slower than the device.
  expect_first(waiting_for({stage("slices", 0, false), stage("map", 0.08, true, 1)}),
               "serial_stage", 0.02);
  expect_first(waiting_for({stage("slices", 0, false), stage("map", 0.16, true)}), "slow_stage",
               0.01);
  expect_first(waiting_for({stage("tfrecord", 0.04, false), stage("map", 0.001, true)}), "storage",
               0.01);
  expect_first(waiting_for({stage("from_generator", 0.04, false)}), "storage", 0.01);
  expect_first(waiting_for({stage("from_tensor_slices", 0.04, false)}), "slow_source", 0.01);
  expect_first(with(Activity::input, 30 * ms), "input", 0.01);
  EXPECT_EQ(account_of(waiting_for({stage("slices", 0, false), stage("map", 0.04, false)}))
                .advice.front()
                .place,
            "train.cpp:41");
  RunFacts of_a_recipe = waiting_for({stage("slices", 0, false), stage("map", 0.04, false)});
  of_a_recipe.places.input = "[data]";  // its stages are made by the program itself
  EXPECT_EQ(account_of(of_a_recipe).advice.front().place, "[data]");
}

// Stages of 8 ms do not explain a wait of 30.
TEST(Account, ThreadsOfTheInputThatWaitThemselvesAreNoSlowStage) {
  RunFacts facts = waiting_for({stage("slices", 0, false), stage("map", 0.032, true)});
  const Account account = account_of(facts);
  ASSERT_EQ(account.advice.size(), 1u);
  EXPECT_EQ(account.advice[0].cause, "handing_over");
  EXPECT_EQ(account.advice[0].step_then, 0);  // not known
  EXPECT_FALSE(account.advice[0].observed);
  EXPECT_EQ(account.verdict,
            "The stages of the input work 8.0 ms for a batch, but the device waits 30.0 ms for it: "
            "the input's threads mostly wait for a core or for each other.");
  facts.probe.replayed = 0.012;
  expect_first(facts, "handing_over", 0.01);
  facts.input.stages[1].seconds_per_element = 0.064;
  expect_first(facts, "slow_stage", 0.01);
}

TEST(Account, WhatInterleaveReadsIsTheLimitIfNoStageIs) {
  const RunFacts facts =
      waiting_for({stage("from_tensor_slices", 0.0001, false), stage("interleave", 0.0001, false),
                   stage("batch", 0.004, false)});
  expect_first(facts, "storage", 0.01);
  EXPECT_TRUE(account_of(facts).verdict.starts_with("What interleave reads is the limit"));
}

TEST(Account, AFirstEpochThatFillsACacheIsNoSlowStorage) {
  RunFacts facts = waiting_for({stage("make_csv_dataset", 0.03, false), stage("cache", 0, false)});
  EXPECT_EQ(account_of(facts).advice.at(0).cause, "filling_cache");
  facts.input.stages.push_back(stage("filter", 0.04, false));  // behind it, in every epoch
  expect_first(facts, "serial_stage", 0.03);
}

// Reading, a filter and a batch that one thread runs one after the other.
TEST(Account, WithoutTheSlowestStageTheOthersRemain) {
  RunFacts facts = waiting_for({stage("make_csv_dataset", 0.02, false),
                                stage("filter", 0.004, false), stage("batch", 0.008, false)});
  expect_first(facts, "storage", 0.012);
  facts.input.stages.insert(facts.input.stages.begin() + 2, stage("prefetch", 0, false));
  expect_first(facts, "storage", 0.01);  // another thread runs the batch
  facts.input.stages[0].seconds_per_element = 0.001;
  facts.input.stages[1].seconds_per_element = 0.03;
  expect_first(facts, "serial_stage", 0.01);
  EXPECT_EQ(account_of(facts).verdict,
            "filter works in one thread: it takes 30.0 ms for a batch, and the device waits for "
            "input 75 % of the time.");
  EXPECT_TRUE(account_of(facts).advice[0].remedy.starts_with("Put a cache behind it"));
  const Advice advice = account_of(facts).advice.at(0);
  for (const auto& [figure, text] : advice.evidence)
    EXPECT_NE(figure, "stage_source") << text;  // decides, and says nothing to a reader
  facts = waiting_for({stage("make_csv_dataset", 0.02, false), stage("map", 0.04, false, 1)});
  EXPECT_TRUE(account_of(facts).advice[0].remedy.starts_with("num_parallel_calls = AUTOTUNE"));
  EXPECT_NEAR(account_of(facts).advice[0].step_then, 0.02, 1e-6);
}

// A device that waits at every step also pays for launches and copies that else overlap.
TEST(Account, ATrialTellsWhatAStepTakesThatHasAllItNeeds) {
  RunFacts facts = waiting_for({stage("generator", 0.04, false)});
  facts.on_host = false;
  facts.measured = DeviceTime{.busy = 300 * ms, .launch = 700 * ms};
  facts.measured->idle[at(Activity::input)] = 3000 * ms;
  expect_first(facts, "storage", 0.01);
  facts.probe = {.sizes = {{64, 0.001}}, .replayed = 0.002};
  expect_first(facts, "storage", 0.002);  // a cache is in the host's memory

  facts = with(Activity::host_calls, 5 * ms);
  facts.probe.without_host_calls = 0.004;
  expect_first(facts, "host_op", 0.004);
}

TEST(Account, WhatElseAStepWaitsForStaysBesideTheTrial) {
  RunFacts facts = with(Activity::callback, 5 * ms);
  facts.batch_hooks = steps;
  facts.host[at(Activity::input)] = steps * ms;
  facts.wall += steps * ms;
  facts.probe.sizes = {{64, 0.008}};
  expect_first(facts, "callback", 0.009);
}

TEST(Account, ADisturbedTrialPromisesNoLessThanWhatIsLeftOfTheStep) {
  RunFacts facts = with(Activity::callback, 5 * ms);
  facts.batch_hooks = steps;
  facts.probe.sizes = {{64, 0.0145}};
  expect_first(facts, "callback", 0.01);
}

TEST(Account, WhereACacheWinsNothingTheCopiesAreTheLimit) {
  RunFacts facts = waiting_for({stage("slices", 0.001, false)});
  facts.on_host = false;
  facts.probe = {.sizes = {{64, 0.005}}, .replayed = 0.039};
  expect_first(facts, "copies", 0.005);
}

RunFacts loop_waiting_for(Time each, std::vector<StageStatistics> stages) {
  RunFacts facts = with(Activity::input, each);
  facts.run = "loop";
  facts.input = {.stages = std::move(stages), .taken = steps, .threads = 4};
  return facts;
}

TEST(Account, ALoopWithoutPrefetchMakesItsBatchesBetweenSteps) {
  RunFacts facts = loop_waiting_for(12 * ms, {stage("generator", 0.012, false)});
  expect_first(facts, "no_prefetch", 0.012);  // the step of 0.01 runs meanwhile
  EXPECT_EQ(account_of(facts).advice.size(), 1u);
  EXPECT_EQ(account_of(facts).advice.front().place, "train.cpp:41");
  facts.input.stages.push_back(stage("prefetch", 0, false));
  expect_first(facts, "storage", 0.01);
}

// Prefetched or not, the stage is too slow for the device.
TEST(Account, ALoopWithASlowStageNeedsMoreThanPrefetch) {
  const RunFacts read = loop_waiting_for(30 * ms, {stage("generator", 0.03, false)});
  expect_first(read, "storage", 0.01);
  EXPECT_EQ(account_of(read).advice.at(1).cause, "no_prefetch");
  EXPECT_NEAR(account_of(read).advice.at(1).step_then, 0.03, 1e-6);
  expect_first(loop_waiting_for(60 * ms, {stage("slices", 0, false), stage("map", 0.06, false, 1)}),
               "serial_stage", 0.015);
}

// A parallel map makes elements ahead: only what is behind it happens between steps.
TEST(Account, AMapThatWorksAheadIsPrefetchedAlready) {
  RunFacts facts = loop_waiting_for(
      30 * ms, {stage("slices", 0, false), stage("map", 0.16, true), stage("batch", 0.004, false)});
  expect_first(facts, "slow_stage", 0.01);
  EXPECT_EQ(account_of(facts).advice.at(1).cause, "no_prefetch");
  EXPECT_NEAR(account_of(facts).advice.at(1).step_then, 0.036, 1e-6);
  facts.input.stages.pop_back();
  EXPECT_EQ(account_of(facts).advice.size(), 1u);
  // A single call of a cheap map is made by the reading thread.
  facts.input.stages[1].automatic = true;
  facts.input.stages[1].value = 1;
  EXPECT_EQ(account_of(facts).advice.at(1).cause, "no_prefetch");
}

TEST(Account, ALoopThatRunsOpByOpIsToldOfCompiledFunctions) {
  RunFacts facts = well_fed_run();
  facts.run = "loop";
  facts.wall += steps * 5 * ms;  // that nothing of ours explains
  facts.calls = 1;
  expect_first(facts, "outside", 0.01);
  facts.calls = 30;
  expect_first(facts, "op_by_op", 0.01);
}

TEST(Account, NamesASmallBatchByWhatOtherSizesTake) {
  RunFacts facts = well_fed_run();
  facts.batch_size = 1;
  facts.probe.sizes = {{1, 0.010}, {64, 0.0163}};
  expect_first(facts, "small_batch", 0.0163 / 64);
  EXPECT_EQ(account_of(facts).advice.front().apply, "fit.batch_size=64");
  facts.probe.sizes.clear();  // not tried: reported without a number
  const Account account = account_of(facts);
  ASSERT_FALSE(account.advice.empty());
  EXPECT_EQ(account.advice.front().cause, "small_batch");
  EXPECT_FALSE(account.advice.front().observed);
  facts.batch_size = 64;
  facts.probe.sizes = {{64, 0.010}, {128, 0.0198}};
  EXPECT_TRUE(account_of(facts).advice.empty());
}

TEST(Account, NamesWhatTakesTheCores) {
  RunFacts facts = well_fed_run();
  facts.load.core_wait = 0.5;
  expect_first(facts, "cores_taken", 0.005);
  facts.load = {.cores = 1, .throttled = 0.75};
  expect_first(facts, "cpu_quota", 0.0025);
  facts.load = {.cores = 4, .throttled = 0.75, .core_wait = 0.5};
  expect_first(facts, "cpu_quota", 0.0025);
}

TEST(Account, ADevicesOwnClockDecidesWhatItWorked) {
  RunFacts facts = well_fed_run();  // by the host's clock it was all work
  facts.on_host = false;
  facts.measured = DeviceTime{.busy = 300 * ms, .copies = 200 * ms, .launch = 500 * ms};
  const Account account = account_of(facts);
  EXPECT_NEAR(account.busy, 0.3, 1e-6);
  EXPECT_NEAR(sum_of(account), 1, 1e-9);
  EXPECT_EQ(account.advice.at(0).cause, "launch");
  EXPECT_EQ(account.advice.at(1).cause, "copies");
}

TEST(Account, TheDocumentHasTheTable) {
  std::ifstream file(STOKER_SOURCE_DIR "/docs/account.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const std::string table = to_markdown(run_rules());
  EXPECT_NE(page.find(table), page.npos) << "put this into docs/account.md:\n" << table;
}

TEST(Account, AsJson) {
  const Config config = to_config(account_of(with(Activity::host_calls, 30 * ms)));
  EXPECT_EQ(config.find("parts")->as_list().at(0).find("cause")->as_string(), "host op");
  EXPECT_EQ(config.find("advice")->as_list().at(0).find("cause")->as_string(), "host_op");
  EXPECT_DOUBLE_EQ(config.find("wall")->as_double(), 4);
}

TEST(Account, FirstScreen) {
  const std::string text = to_text(account_of(with(Activity::host_calls, 30 * ms)));
  for (const char* part :
       {"/cpu:0 · fit · 100 steps · 40 ms/step", "working 25 %", "WHERE 4 s GO",
        "host op 3 s | working 1 s", "DO THIS FIRST", "likely 4.0×", "[host_op, observed]"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

}  // namespace
}  // namespace stoker::ledger
