#pragma once
#include <vector>

#include "ledger/run_facts.h"

namespace stoker::nn {

// Measures, for one rank's loop, the time in sums over all ranks, and the part of it spent waiting
// for the last rank. Does nothing with a single process.
class RankClock {
 public:
  explicit RankClock(int64_t ranks) : ranks_(ranks) {}

  // Sums between the two calls belong to the loop. All ranks call both.
  void start();
  void stop();
  ledger::Ranks found() const;  // so far; the waiting is known up to the latest stop()

 private:
  const int64_t ranks_;
  bool running_ = false;
  ledger::Time inside_ = 0, waited_ = 0;          // at the latest start()
  ledger::Time all_inside_ = 0, all_waited_ = 0;  // between earlier starts and stops
  std::vector<ledger::Time> begun_, for_rank_;    // likewise: of all ranks, and for each rank
};

}  // namespace stoker::nn
