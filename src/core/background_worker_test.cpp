#include "core/background_worker.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <vector>

namespace stoker {
namespace {

// The first job runs until released, so that later jobs are queued.
class BackgroundWorkerThread : public ::testing::Test {
 protected:
  void hold() {
    worker_.submit("hold", [this] {
      began_.set_value();
      go_.get_future().wait();
    });
    began_.get_future().wait();
  }
  void let_go() { go_.set_value(); }
  void note(const char* key, int value) {
    worker_.submit(key, [this, value] { ran_.push_back(value); });
  }

  std::promise<void> began_, go_;
  std::vector<int> ran_;
  BackgroundWorker worker_;
};

TEST_F(BackgroundWorkerThread, OnlyTheNewestOfAKeyRunsAfterWhatWasSubmittedBefore) {
  hold();
  note("a", 1);
  note("b", 2);
  note("a", 3);
  note("c", 4);
  let_go();
  worker_.finish();
  EXPECT_EQ(ran_, (std::vector{2, 3, 4}));
}

TEST_F(BackgroundWorkerThread, AnErrorIsThrownOnceAndStopsWhatWaits) {
  hold();
  worker_.submit("bad", [] { throw std::runtime_error("disk full"); });
  note("after", 1);
  let_go();
  EXPECT_THROW(worker_.finish(), std::runtime_error);
  EXPECT_TRUE(ran_.empty());
  note("again", 2);
  worker_.finish();
  EXPECT_EQ(ran_, std::vector{2});
}

TEST_F(BackgroundWorkerThread, TheNextSubmissionThrowsWhatFailed) {
  worker_.submit("bad", [] { throw std::runtime_error("disk full"); });
  EXPECT_THROW(
      {
        while (true) worker_.submit("next", [] {});
      },
      std::runtime_error);
}

TEST(BackgroundWorkerThreads, ItsEndRunsWhatWaits) {
  int done = 0;
  {
    BackgroundWorker worker;
    for (const char* key : {"a", "b", "c"}) worker.submit(key, [&] { ++done; });
  }
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace stoker
