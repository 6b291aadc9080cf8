#include "data/calls.h"

#include <gtest/gtest.h>

#include <thread>

#include "data/prefetched.h"
#include "stoker/interrupt.h"

namespace stoker::data {
namespace {

// A function that returns when it is told to.
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
  void await_call() const { entered_.wait(0); }
  int entered() const { return entered_; }

 private:
  std::atomic<int> entered_ = 0;
  std::atomic<bool> open_ = false;
};

Dataset waiting_at(Gate& gate, int64_t calls) {
  return Dataset::range(100).map(
      [&gate](const Array& x) {
        gate.wait();
        return x;
      },
      {.num_parallel_calls = calls});
}

class SlowCalls : public ::testing::TestWithParam<int64_t> {};

// While somebody waits for it, in a thread of the pipeline's or in the one that reads.
TEST_P(SlowCalls, AreNamed) {
  slow_call_seconds = 0.1;
  Gate gate;
  ::testing::internal::CaptureStderr();
  {
    const auto cursor = waiting_at(gate, GetParam()).prefetch(1);
    std::thread opens([&] {
      gate.await_call();
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      gate.open();
    });
    Element element;
    EXPECT_TRUE(cursor.stage()->open({})->next(element));
    opens.join();
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  slow_call_seconds = 10;
  EXPECT_NE(said.find("element 0 of map, created calls_test.cpp:34 has been in the making"),
            std::string::npos)
      << said;
}

// Nobody waits for elements that are behind the one in the making.
TEST_P(SlowCalls, EndTheRestOfABatchThatNobodyWants) {
  Gate gate;
  const auto dataset = waiting_at(gate, GetParam()).batch(50).prefetch(1);
  std::thread opens;
  {
    const auto cursor = dataset.stage()->open({});
    static_cast<Prefetched&>(*cursor).begin();
    gate.await_call();
    opens = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gate.open();
    });
  }
  opens.join();
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
    gate.open();
  }
  EXPECT_EQ(gate.entered(), 1);
}

}  // namespace
}  // namespace stoker::data
