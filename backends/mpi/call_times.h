#pragma once
#include <mpi.h>

#include <array>
#include <chrono>
#include <vector>

#include "distribution/collectives_interface.h"

namespace stoker::mpi {

// How long this rank was in calls that all ranks make, and how much of that it waited. Who comes to
// a call last does not wait: what it takes is the call, what the others take longer is waiting.
// Ranks compare the times of many calls at once.
class CallTimes {
 public:
  CallTimes();
  // Every rank adds the same calls: those of the list are compared when it is full.
  void add(std::chrono::nanoseconds took);
  void settle();  // compares what is left, and who waited for whom; all ranks call it
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
  std::vector<int64_t> by_this_, by_all_;  // how long this rank and all of them waited for each
};

}  // namespace stoker::mpi
