#include "data/tuning/tuner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/tuning/consumer.h"
#include "support/fake_clock.h"

namespace stoker::data {
namespace {

constexpr ledger::Time ms = 1'000'000;

// A simulated pipeline with times only: a parallel stage followed by a buffer.
class TunedPipeline : public ::testing::Test {
 protected:
  TunedPipeline() {
    map.parallel = true;
    map.setting.tune("parallel calls", 1, 8);
    buffer.setting.tune("elements ahead", 2, 16);
  }
  // The consumer takes an element per interval from stages that need a different time for each.
  void run(int elements, ledger::Time consumer, ledger::Time of_map) {
    for (int i = 0; i < elements; ++i) {
      map.add_element();
      map.add_timed(0, of_map);
      const ledger::Time made = of_map / std::min<int64_t>(map.setting.value, threads);
      const ledger::Time waited = std::max<ledger::Time>(0, made - consumer);
      clock.pass(consumer + waited);
      tuner().taken(waited);
    }
  }
  Tuner& tuner() {
    if (!tuner_)
      tuner_.emplace(std::vector<Tuner::Tuned>{{"map", &map}, {"buffer", &buffer}}, threads);
    return *tuner_;
  }

  // Each pass over the data has a tuner of its own; the settings stay.
  void next_pass() { tuner_.reset(); }

  static constexpr int threads = 4;
  const stoker::testing::FakeClock clock;
  Meter map, buffer;

 private:
  std::optional<Tuner> tuner_;
};

TEST_F(TunedPipeline, ThatIsFastEnoughIsLeftAlone) {
  run(300, 10 * ms, 8 * ms);
  EXPECT_TRUE(tuner().decisions().empty());
}

// 25 ms of work for each 10 ms of the consumer: three threads, with 10 % to spare.
TEST_F(TunedPipeline, GetsAsManyCallsAsTheConsumerNeedsAndNoMore) {
  run(300, 10 * ms, 25 * ms);
  EXPECT_EQ(map.setting.value, 3);
  EXPECT_EQ(buffer.setting.value, 2);
  ASSERT_EQ(tuner().decisions().size(), 1u);
  const TunerDecision& decision = tuner().decisions()[0];
  EXPECT_EQ(decision.stage, "map");
  EXPECT_EQ(decision.from, 1);
  EXPECT_EQ(decision.to, 3);
  EXPECT_NE(decision.why.find("waited 60 % of the time"), std::string::npos) << decision.why;
}

TEST_F(TunedPipeline, TakesBackWhatGainsNothing) {
  map.setting.value = 4;
  run(150, 1 * ms, 40 * ms);  // more calls than threads are useless, as is a longer buffer
  ASSERT_EQ(tuner().decisions().size(), 2u);
  const TunerDecision &tried = tuner().decisions()[0], &back = tuner().decisions()[1];
  EXPECT_EQ(tried.stage, "map");
  EXPECT_EQ(back.stage, "map");
  EXPECT_EQ(back.to, tried.from);
  EXPECT_NE(back.why.find("no gain beyond noise"), std::string::npos) << back.why;
  EXPECT_EQ(map.setting.value, 4);
}

// With other load on the machine the rate is less reliable than the threads' idle time.
TEST_F(TunedPipeline, KeepsWhatGivesThreadsWork) {
  map.setting.value = 4;
  for (int i = 0; i < 150; ++i) {
    map.add_element();
    map.add_timed(0, 40 * ms);
    clock.pass(11 * ms);
    if (map.setting.value == 4) map.add_stalled(2 * ms);
    tuner().taken(10 * ms);
  }
  EXPECT_EQ(map.setting.value, 8);
  EXPECT_EQ(tuner().decisions().size(), 1u);
}

// Fast enough on average, but sometimes the consumer finds the buffer empty.
TEST_F(TunedPipeline, GetsALongerBufferWhereElementsComeUnevenly) {
  map.setting.value = 4;
  for (int i = 0; i < 60; ++i) {
    map.add_element();
    map.add_timed(0, 10 * ms);
    const ledger::Time waited = i % 4 == 0 && buffer.setting.value < 4 ? 8 * ms : 0;
    clock.pass(10 * ms + waited);
    tuner().taken(waited);
  }
  EXPECT_EQ(buffer.setting.value, 4);
  EXPECT_EQ(map.setting.value, 4);
  ASSERT_EQ(tuner().decisions().size(), 1u);
  EXPECT_EQ(tuner().decisions()[0].stage, "buffer");
}

// A function of 1 us, after a reader that takes 2 us per element: with a single call nothing is
// handed over.
TEST_F(TunedPipeline, MakesCheapCallsWhereItReads) {
  map.inline_at_one = true;
  map.setting.value = 4;
  const auto run_cheap = [&](ledger::Time handed_over) {
    for (int i = 0; i < 400'000; ++i) {
      map.add_element();
      map.add_timed(0, 1000);
      const ledger::Time time = map.setting.value == 1 ? 3000 : handed_over;
      clock.pass(time);
      tuner().taken(time);
    }
  };
  run_cheap(5000);
  EXPECT_EQ(map.setting.value, 1);
  ASSERT_FALSE(tuner().decisions().empty());
  EXPECT_NE(tuner().decisions()[0].why.find("an element takes 1.0 us"), std::string::npos);
  EXPECT_EQ(std::ranges::count(tuner().decisions(), "map", &TunerDecision::stage), 1);
  next_pass();
  run_cheap(5000);
  EXPECT_EQ(map.setting.value, 1);
  EXPECT_EQ(std::ranges::count(tuner().decisions(), "map", &TunerDecision::stage), 0);
}

TEST_F(TunedPipeline, GoesBackToSeveralCallsWhereOneIsSlower) {
  map.inline_at_one = true;
  map.setting.value = 4;
  for (int i = 0; i < 400'000; ++i) {
    map.add_element();
    map.add_timed(0, 1000);
    const ledger::Time time = map.setting.value == 1 ? 3000 : 2000;
    clock.pass(time);
    tuner().taken(time);
  }
  EXPECT_GE(map.setting.value, 4);
  ASSERT_GE(tuner().decisions().size(), 2u);
  EXPECT_EQ(tuner().decisions()[0].to, 1);
  EXPECT_EQ(tuner().decisions()[1].to, 4);
}

TEST_F(TunedPipeline, GivesBackWhatIsNoLongerNeeded) {
  run(100, 10 * ms, 25 * ms);
  EXPECT_EQ(map.setting.value, 3);
  run(3000, 10 * ms, 5 * ms);
  EXPECT_EQ(map.setting.value, 1);
}

TEST_F(TunedPipeline, KeepsWhatTheProgramSays) {
  Meter fixed;
  fixed.setting.fix("parallel calls", 1);
  Tuner tuner({{"map", &fixed}}, threads);
  for (int i = 0; i < 100; ++i) {
    fixed.add_element();
    fixed.add_timed(0, 20 * ms);
    clock.pass(20 * ms);
    tuner.taken(19 * ms);
  }
  EXPECT_EQ(fixed.setting.value, 1);
  EXPECT_TRUE(tuner.decisions().empty());
}

StageStatistics stage(const char* name, double seconds, bool parallel, int64_t elements) {
  return {.name = name,
          .where = "train.cpp:41",
          .elements = elements,
          .seconds_per_element = seconds,
          .parallel = parallel};
}

// 100 batches of 32 elements in 2 s, with 1 s of waiting: 100 batches/s could be consumed.
PipelineStatistics starved(const std::vector<StageStatistics>& stages) {
  return {.stages = stages, .taken = 100, .seconds = 2, .waited_seconds = 1, .threads = 2};
}

TEST(Verdict, NamesTheStageAndTheCoresThatItNeeds) {
  EXPECT_EQ(
      verdict_on(starved({stage("map", 1e-3, true, 3200), stage("batch", 1e-5, true, 100)})),
      "map (train.cpp:41) limits you to 1,999 elements/s on 2 cores; the device takes 3,200: 4 "
      "cores or a cache after it would feed it.");
  EXPECT_EQ(verdict_on(starved({stage("map", 5e-4, false, 3200), stage("batch", 1e-5, true, 100)})),
            "map (train.cpp:41) limits you to 2,000 elements/s on 1 core; the device takes 3,200: "
            "num_parallel_calls = AUTOTUNE (if its calls share nothing) or a cache after it would "
            "feed it.");
}

TEST(Verdict, IsSilentWhereNobodyWaitedOrNoStageIsToBlame) {
  PipelineStatistics fed = starved({stage("map", 1e-3, true, 3200)});
  fed.waited_seconds = 0.05;
  EXPECT_EQ(verdict_on(fed), "");
  EXPECT_EQ(verdict_on(starved({stage("map", 1e-4, true, 3200)})), "");
}

}  // namespace
}  // namespace stoker::data
