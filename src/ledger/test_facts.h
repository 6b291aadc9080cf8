#pragma once
#include <gtest/gtest.h>

#include "ledger/account.h"

// Synthetic facts of runs for tests.
namespace stoker::ledger::test {

inline constexpr Time ms = 1'000'000;
inline constexpr int64_t steps = 100;

inline size_t at(Activity activity) { return static_cast<size_t>(activity); }

// 100 steps of 10 ms that the device spends working.
inline RunFacts well_fed_run() {
  RunFacts facts{.device = "/cpu:0", .wall = steps * 10 * ms, .steps = steps, .batch_size = 64};
  facts.host[at(Activity::step)] = steps * 10 * ms;
  facts.load.cores = 4;
  facts.places.fit = facts.places.batch_size = facts.places.callback = facts.places.checkpoint =
      "train.cpp:7";
  return facts;
}

inline RunFacts with(Activity activity, Time per_step) {
  RunFacts facts = well_fed_run();
  facts.host[at(activity)] += steps * per_step;
  facts.wall += steps * per_step;
  return facts;
}

inline double sum_of(const Account& account) {
  double sum = 0;
  for (const auto& part : account.parts) sum += part.seconds;
  return sum;
}

inline void expect_first(const RunFacts& facts, const std::string& cause, double step_then) {
  const Account account = account_of(facts);
  ASSERT_FALSE(account.advice.empty()) << account.verdict;
  const Advice& first = account.advice.front();
  EXPECT_EQ(first.cause, cause) << first.sentence;
  EXPECT_NEAR(first.step_then, step_then, 0.01 * step_then + 1e-9) << first.sentence;
  EXPECT_EQ(account.verdict, first.sentence);
  EXPECT_EQ(first.sentence.find("unknown"), std::string::npos) << first.sentence;
  EXPECT_NEAR(sum_of(account), account.wall, 1e-9);
}

inline StageStatistics stage(const char* name, double seconds, bool parallel, int64_t value = 0) {
  return {.name = name,
          .where = "train.cpp:41",
          .elements = steps,
          .seconds_per_element = seconds,
          .parallel = parallel,
          .setting = value > 0 ? "parallel calls" : "",
          .value = value};
}

inline RunFacts waiting_for(std::vector<StageStatistics> stages) {
  RunFacts facts = with(Activity::input, 30 * ms);
  facts.input = {.stages = std::move(stages), .taken = steps, .threads = 4};
  return facts;
}

}  // namespace stoker::ledger::test
