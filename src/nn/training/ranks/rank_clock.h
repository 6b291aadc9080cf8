#pragma once
#include <vector>

#include "ledger/run_facts.h"

namespace stoker::nn {

// Of the loop of one rank: how long it was in sums over all ranks, and how much of that it waited
// for the rank that came last. Does nothing where there is one process.
class RankClock {
 public:
  explicit RankClock(int64_t ranks) : ranks_(ranks) {}

  // Between these two sums are the loop's. All ranks call them.
  void start();
  void stop();
  ledger::Ranks found() const;  // until now; who waited for whom only until it was last stopped

 private:
  const int64_t ranks_;
  bool running_ = false;
  ledger::Time inside_ = 0, waited_ = 0;          // when it was started
  ledger::Time all_inside_ = 0, all_waited_ = 0;  // between earlier starts and stops
  std::vector<ledger::Time> begun_, for_rank_;    // likewise, by all ranks for each
};

}  // namespace stoker::nn
