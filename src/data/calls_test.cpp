#include "data/calls.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "data/prefetched.h"
#include "stoker/interrupt.h"

namespace stoker::data {
namespace {

// A function that returns when released.
class Gate {
 public:
  void wait() {
    ++entered_;
    entered_.notify_all();
    open_.wait(false);
  }
  void open() {
    open_ = true;
    open_.notify_all();
  }
  // Returns once the element is no longer needed; otherwise after a while, so that the test fails.
  void wait_until_cancelled() {
    ++entered_;
    entered_.notify_all();
    for (int looks = 0; looks < 10'000; ++looks) {
      try {
        throw_if_cancelled();
      } catch (const Cancelled&) {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void await_call() const { entered_.wait(0); }
  int entered() const { return entered_; }

 private:
  std::atomic<int> entered_ = 0;
  std::atomic<bool> open_ = false;
};

Dataset waiting_at(Gate& gate, int64_t calls, void (Gate::*wait)() = &Gate::wait) {
  return Dataset::range(100).map(
      [&gate, wait](const Array& x) {
        (gate.*wait)();
        return x;
      },
      {.num_parallel_calls = calls});
}

// Captured stderr is a file.
void await_text_on_stderr() {
  for (struct stat file{}; fstat(STDERR_FILENO, &file) == 0 && file.st_size == 0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class SlowCalls : public ::testing::TestWithParam<int64_t> {};

// While somebody waits for it, in a pipeline thread or in the reading thread.
TEST_P(SlowCalls, AreNamed) {
  slow_call_seconds = 0.01;
  Gate gate;
  const auto waits_once = [&gate](const Array& x) {
    if (x.at(0) == 0) gate.wait();
    return x;
  };
  const int line = __LINE__ + 1;
  const Dataset mapped = Dataset::range(100).map(waits_once, {.num_parallel_calls = GetParam()});
  ::testing::internal::CaptureStderr();
  {
    const auto cursor = mapped.prefetch(1);
    std::thread opens([&] {
      await_text_on_stderr();
      gate.open();
    });
    Element element;
    EXPECT_TRUE(cursor.stage()->open({})->next(element));
    opens.join();
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  slow_call_seconds = 10;
  const std::string want = "element 0 of map, created calls_test.cpp:" + std::to_string(line);
  EXPECT_NE(said.find(want + " has not returned for"), std::string::npos) << said;
}

// By the thread that waits longest: behind a prefetch, two threads wait.
TEST(SlowCall, IsNamedOnce) {
  slow_call_seconds = 0.01;
  Gate gate;
  ::testing::internal::CaptureStderr();
  {
    const auto dataset =
        waiting_at(gate, 2).take(1).prefetch(1).map([](const Array& x) { return x; }).prefetch(1);
    std::thread opens([&] {
      await_text_on_stderr();
      std::this_thread::sleep_for(4 * Patience::pause);
      gate.open();
    });
    Element element;
    EXPECT_TRUE(dataset.stage()->open({})->next(element));
    opens.join();
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  slow_call_seconds = 10;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

// Nobody waits for elements after the one being made.
TEST_P(SlowCalls, EndTheRestOfABatchThatNobodyWants) {
  Gate gate;
  const auto dataset =
      waiting_at(gate, GetParam(), &Gate::wait_until_cancelled).batch(50).prefetch(1);
  {
    const auto cursor = dataset.stage()->open({});
    static_cast<Prefetched&>(*cursor).begin();
    gate.await_call();
  }
  EXPECT_LE(gate.entered(), Workers::global().size() + 2);
}

INSTANTIATE_TEST_SUITE_P(Threads, SlowCalls, ::testing::Values(1, 4));

TEST(SlowCall, IsNotWaitedForAfterAnInterrupt) {
  Gate gate;
  const InterruptScope scope;
  const auto dataset = waiting_at(gate, 1).prefetch(1);
  {
    const auto cursor = dataset.stage()->open({});
    static_cast<Prefetched&>(*cursor).begin();
    gate.await_call();
    interrupt();
    Element element;
    EXPECT_THROW(cursor->next(element), Interrupted);
    EXPECT_EQ(gate.entered(), 1);  // has not returned yet
    gate.open();
  }
}

// Returns when released; otherwise after a while, so that the test fails.
struct Hang {
  void wait() {
    entered = true;
    entered.notify_all();
    for (int looks = 0; looks < 10'000 && !released; ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    gave_up = !released;
  }
  std::atomic<bool> entered = false, released = false, gave_up = false;
};

// Neither by a reader nor by stages whose buffers and calls are behind other threads.
TEST(SlowCall, IsLeftByAnInterruptWhereverItIs) {
  for (const int64_t calls : {1, 4}) {
    const auto hang = std::make_shared<Hang>();
    {
      const auto third_hangs = [hang](const Array& x) {
        if (x.at(0) == 3) hang->wait();
        return x;
      };
      const auto dataset = Dataset::range(100)
                               .map(third_hangs, {.num_parallel_calls = calls})
                               .filter([](const Array&) { return true; })
                               .prefetch(1)
                               .batch(2)
                               .prefetch(1);
      Meter meter;
      meter.setting.fix("elements ahead", 1);
      const InterruptScope scope;
      Prefetched cursor(dataset.stage()->open({}), meter, dataset.stage());
      cursor.begin();
      hang->entered.wait(false);
      interrupt();
      Element element;
      EXPECT_THROW(while (cursor.next(element)) continue, Interrupted);
    }
    EXPECT_FALSE(hang->gave_up);
    hang->released = true;
    while (hang.use_count() > 1) std::this_thread::yield();  // until the thread that was left ends
  }
}

// Also where only the first element's type is asked for, whose neighbour is read ahead.
TEST(SlowCall, IsLeftByAnInterruptWhereTheTypeIsAskedFor) {
  const auto hang = std::make_shared<Hang>();
  std::thread interrupts([&] {
    hang->entered.wait(false);
    interrupt();
  });
  {
    const auto second_hangs = [hang](const Array& x) {
      if (x.at(0) == 1) hang->wait();
      return Dataset::from_tensors(x).map([](const Array& y) { return y; });
    };
    const auto dataset = Dataset::range(5).interleave(
        second_hangs, {.cycle_length = 2, .num_parallel_calls = AUTOTUNE});
    EXPECT_THROW((void)dataset.element_spec(), Interrupted);
  }
  interrupts.join();
  EXPECT_FALSE(hang->gave_up);
  hang->released = true;
  while (hang.use_count() > 1) std::this_thread::yield();
}

}  // namespace
}  // namespace stoker::data
