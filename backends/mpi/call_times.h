#pragma once
#include <mpi.h>

#include <array>
#include <chrono>
#include <vector>

#include "distribution/collectives_interface.h"

namespace stoker::mpi {

// The time that this rank spends in calls that all ranks make, and how much of it is waiting. The
// rank that enters a call last does not wait: its time is that of the call itself, and the
// additional time of the other ranks is waiting. Ranks compare the times of many calls at once.
class CallTimes {
 public:
  CallTimes();
  // Every rank adds the same calls: those of the list are compared when it is full.
  void add(std::chrono::nanoseconds took);
  void settle();  // compares the remaining calls and the ranks' waiting times; called by all ranks
  StokerCallTimes so_far() const { return {inside_, waited_, by_all_.data()}; }

 private:
  struct Took {  // MPI_LONG_INT
    long time;
    int rank;
  };
  void compare();

  int rank_ = 0;
  size_t count_ = 0;
  std::array<Took, 256> list_{};
  int64_t inside_ = 0, waited_ = 0;
  std::vector<int64_t> by_this_,
      by_all_;  // time that this rank, and all ranks together, waited for each rank
};

}  // namespace stoker::mpi
