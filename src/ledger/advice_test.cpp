#include <algorithm>

#include "ledger/test_facts.h"

// Which advice comes first, and what a run without a single cause says.
namespace stoker::ledger {
namespace {

using namespace test;

std::vector<std::string> causes(const RunFacts& facts) {
  std::vector<std::string> all;
  for (const Advice& advice : account_of(facts).advice) all.push_back(advice.cause);
  return all;
}
using Causes = std::vector<std::string>;

TEST(Advice, WhatWinsMostComesFirst) {
  RunFacts facts = with(Activity::callback, 2 * ms);
  facts.batch_hooks = steps;
  facts.host[at(Activity::host_calls)] = steps * 8 * ms;
  facts.wall += steps * 8 * ms;
  expect_first(facts, "host_op", 0.012);
  EXPECT_EQ(account_of(facts).advice.at(1).cause, "callback");
}

TEST(Advice, APassingLoadOfTheMachineComesAfterWhatTheProgramDoes) {
  RunFacts facts = with(Activity::callback, 2 * ms);
  facts.batch_hooks = steps;
  facts.load.core_wait = 0.3 * 1.2;
  EXPECT_EQ(causes(facts), (Causes{"callback", "cores_taken"}));
  facts.batch_size = 1;  // its gain is unknown, and not larger than a measured one for that
  EXPECT_EQ(causes(facts), (Causes{"callback", "small_batch", "cores_taken"}));
  facts.host[at(Activity::host_calls)] = steps * ms * 3 / 4;  // of 6 %
  facts.wall += steps * ms * 3 / 4;
  EXPECT_EQ(causes(facts), (Causes{"callback", "small_batch", "cores_taken", "host_op"}));
}

TEST(Advice, AMachineThatTakesHalfOfTheTimeComesWhereItsGainIs) {
  RunFacts facts = with(Activity::callback, 2 * ms);
  facts.batch_hooks = steps;
  facts.load = {.cores = 1, .throttled = 0.75 * 1.2};
  EXPECT_EQ(causes(facts), (Causes{"cpu_quota", "callback"}));
  facts.host[at(Activity::callback)] += steps * 90 * ms;
  facts.wall += steps * 90 * ms;
  facts.load.throttled = 0.6 * 10.2;
  EXPECT_EQ(causes(facts), (Causes{"callback", "cpu_quota"}));
}

TEST(Advice, WhatWouldWinNothingIsNoAdvice) {
  RunFacts facts = waiting_for({stage("slices", 0, false), stage("map", 0.0399, false, 1)});
  facts.input.threads = 1;
  facts.load.cores = 1;
  EXPECT_EQ(causes(facts), (Causes{"slow_stage"}));
  facts.load.cores = 2;
  facts.load.cpu_seconds = 2 * 4.0;  // both work all the time already
  EXPECT_TRUE(causes(facts).empty());
}

TEST(Advice, CallbacksAtTheEndOfAnEpoch) {
  RunFacts facts = with(Activity::callback, 15 * ms);
  facts.batch_hooks = 2;
  facts.places.callback_name = "Plots";
  expect_first(facts, "epoch_end", 0.01);
  EXPECT_EQ(account_of(facts).verdict,
            "Callbacks (Plots takes the most) and output at the ends of epochs take 60 % of the "
            "time, and reading the metrics for them 0 %.");
  facts.places.callback_name = "";
  EXPECT_TRUE(account_of(facts).verdict.starts_with("Callbacks and output at the ends of epochs"));
  // Reading at the ends of epochs is none between the steps of a loop.
  EXPECT_EQ(causes(with(Activity::metrics, ms)), (Causes{"epoch_end"}));
  RunFacts loop = with(Activity::metrics, ms);
  loop.run = "loop";
  EXPECT_EQ(causes(loop), (Causes{"read_each_step"}));
}

TEST(Advice, WhatIsAroundTheSteps) {
  RunFacts facts = with(Activity::validation, 6 * ms);
  EXPECT_EQ(causes(facts), (Causes{"validation"}));
  EXPECT_EQ(account_of(facts).verdict, "Validation takes 38 % of the run's time.");
  facts.batch_hooks = steps;
  facts.host[at(Activity::callback)] = steps * 2 * ms;
  facts.wall += steps * 2 * ms;
  EXPECT_EQ(causes(facts), (Causes{"validation", "callback"}));
  expect_first(with(Activity::outputs, 5 * ms), "outputs", 0.01);
  expect_first(with(Activity::setup, 5 * ms), "setup", 0.01);
}

TEST(Advice, WhatComesBeforeTheFirstStepIsInTheSumAndInNoStep) {
  RunFacts facts = well_fed_run();
  facts.wall += 3000 * ms;
  facts.host[at(Activity::compile)] = facts.host_before[at(Activity::compile)] = 3000 * ms;
  facts.wall_before = 3000 * ms;
  const Account account = account_of(facts);
  EXPECT_NEAR(account.step_seconds, 0.01, 1e-6);
  EXPECT_NEAR(sum_of(account), 4, 1e-9);
  ASSERT_EQ(account.advice.size(), 1u);
  EXPECT_EQ(account.advice[0].cause, "compile_before");
  EXPECT_EQ(account.verdict, "Compiling before the first step takes 75 % of the run's time.");
}

TEST(Advice, ARunWithoutASingleCauseSaysWhereTheRestGoes) {
  RunFacts facts = well_fed_run();
  facts.wall += steps * 5 * ms;  // that nothing explains
  Account account = account_of(facts);
  EXPECT_TRUE(account.advice.empty());
  EXPECT_EQ(account.verdict,
            "No single cause stands out: the device works 67 % of the time, and the largest other "
            "part is unexplained, 33 % of it.");
  facts = with(Activity::validation, 2 * ms);
  EXPECT_EQ(account_of(facts).verdict, "The device is well fed: it works 83 % of the time.");
}

TEST(Advice, ALateCompileIsNotARecompileInEachStep) {
  RunFacts facts = with(Activity::compile, 20 * ms);
  facts.late_compiles = 2;  // a last batch, in training and validation
  EXPECT_TRUE(causes(facts).empty());
  facts.late_compiles = 3;
  expect_first(facts, "recompile", 0.01);
}

// The padded shape may take longer than the steps do now.
TEST(Advice, PaddingCostsWhatTheTrialOfThePaddedStepTook) {
  RunFacts facts = with(Activity::compile, 20 * ms);
  facts.late_compiles = steps;
  facts.probe.sizes = {{64, 0.016}};
  expect_first(facts, "recompile", 0.016);
  facts.probe.sizes = {{64, 0.031}};
  EXPECT_TRUE(causes(facts).empty());
}

TEST(Advice, ALargerBatchDoesNotMakeTheInputFaster) {
  RunFacts facts = with(Activity::input, 15 * ms);
  facts.batch_size = 1;
  facts.probe = {.sizes = {{1, 0.010}, {64, 0.0128}}, .replayed = 0.010};
  EXPECT_EQ(causes(facts), (Causes{"input", "small_batch"}));
  EXPECT_NEAR(account_of(facts).advice.at(1).step_then, 0.0152, 1e-5);
  // What is done once a step is done less often.
  facts = with(Activity::callback, 5 * ms);
  facts.batch_size = 1;
  facts.batch_hooks = steps;
  facts.probe.sizes = {{1, 0.010}, {10, 0.010}};
  expect_first(facts, "small_batch", 0.0015);
}

TEST(Advice, MixedPrecisionOnlyWhereItIsFaster) {
  RunFacts facts = well_fed_run();
  facts.matmul_share = 0.9;
  facts.probe = {.sizes = {{64, 0.010}}, .bfloat16 = 0.030};
  EXPECT_TRUE(causes(facts).empty());
  facts.probe.bfloat16 = 0.005;
  expect_first(facts, "precision", 0.005);
  facts.host[at(Activity::callback)] = steps * 2 * ms;
  facts.wall += steps * 2 * ms;
  EXPECT_NEAR(account_of(facts).advice.at(0).step_then, 0.007, 1e-5);
  EXPECT_EQ(account_of(facts).advice.at(0).apply, "dtype_policy=mixed_bfloat16");
}

TEST(Advice, Float16OnACpu) {
  RunFacts facts = well_fed_run();
  facts.float16 = true;
  EXPECT_EQ(causes(facts), (Causes{"float16_on_cpu"}));
  facts.on_host = false;
  facts.measured = DeviceTime{.busy = 1000 * ms};
  EXPECT_TRUE(causes(facts).empty());
}

TEST(Advice, ALoopOnAGpuHasOneOutsidePart) {
  RunFacts facts = well_fed_run();
  facts.run = "loop";
  facts.on_host = false;
  facts.measured = DeviceTime{.busy = 500 * ms, .launch = 300 * ms};
  facts.wall += 200 * ms;  // 300 ms between runs, and 400 that nothing explains
  const Account account = account_of(facts);
  EXPECT_EQ(std::ranges::count(account.parts, "outside", &Account::Part::cause), 1);
  EXPECT_NEAR(sum_of(account), account.wall, 1e-9);
  expect_first(facts, "outside", 0.005);
}

TEST(Advice, PartsOfOverlappingStampsStillAddUp) {
  RunFacts facts = well_fed_run();
  facts.run = "loop";
  facts.wall -= 100 * ms;
  const Account account = account_of(facts);
  EXPECT_NEAR(sum_of(account), account.wall, 1e-9);
  EXPECT_NEAR(account.busy, 0.9, 1e-6);
}

// Where the input was never read, or the clock did not move, nothing is divided by zero.
TEST(Advice, OddFactsHaveAnAccountToo) {
  RunFacts facts = waiting_for({stage("slices", 0, false), stage("map", 0.16, true)});
  facts.input.threads = 0;
  const Account account = account_of(facts);
  EXPECT_EQ(account.verdict.find("0 thread"), std::string::npos) << account.verdict;
  EXPECT_EQ(account.verdict.find("unknown"), std::string::npos) << account.verdict;
  facts = with(Activity::validation, 10 * ms);
  facts.host[at(Activity::step)] = 0;
  facts.wall = facts.host[at(Activity::validation)];  // no time is left for the steps
  EXPECT_EQ(account_of(facts).verdict, "Validation takes 100 % of the run's time.");
  EXPECT_FALSE(account_of(RunFacts()).verdict.empty());
}

TEST(Advice, TheFirstScreenHasTheRatesOfTheWork) {
  RunFacts facts = well_fed_run();  // 10 ms a step
  EXPECT_EQ(to_text(account_of(facts)).find("WORK"), std::string::npos);
  facts.work = {.flops = 2e9, .bytes = 5e7};
  EXPECT_NE(to_text(account_of(facts)).find("WORK               200 GFLOP/s, 5 GB/s\n"),
            std::string::npos)
      << to_text(account_of(facts));
  facts.work = {
      .flops = 2e9, .bytes = 5e7, .peak_flops = 4e11, .peak_bandwidth = 1e9, .op = "matmul"};
  facts.load.cpu_seconds = 3 * 1e-9 * static_cast<double>(facts.wall);
  EXPECT_NE(to_text(account_of(facts))
                .find("WORK               200 GFLOP/s (50 % of the peak), 5 GB/s (more than "
                      "memory's rate: caches), most by matmul · 3.0 of 4 cores\n"),
            std::string::npos)
      << to_text(account_of(facts));
}

TEST(Advice, TheFirstScreenHasTheLargestBatch) {
  RunFacts facts = well_fed_run();
  EXPECT_EQ(to_text(account_of(facts)).find("MEMORY"), std::string::npos);
  facts.probe.largest_batch = 212;
  EXPECT_NE(to_text(account_of(facts)).find("MEMORY             batch 64 → at most 212\n"),
            std::string::npos);
  facts.memory = 100 << 20;
  facts.memory_used = 25 << 20;
  EXPECT_NE(to_text(account_of(facts)).find(" of 100.00 MB · batch 64 → at most 212\n"),
            std::string::npos)
      << to_text(account_of(facts));
}

}  // namespace
}  // namespace stoker::ledger
