#include "call_times.h"

namespace stoker::mpi {

CallTimes::CallTimes() {
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  by_this_.resize(static_cast<size_t>(size));
  by_all_ = by_this_;
}

void CallTimes::add(std::chrono::nanoseconds took) {
  inside_ += took.count();
  list_[count_++] = {took.count(), rank_};
  if (count_ == list_.size()) compare();
}

void CallTimes::compare() {
  std::array<Took, std::tuple_size_v<decltype(list_)>> shortest;
  MPI_Allreduce(list_.data(), shortest.data(), static_cast<int>(count_), MPI_LONG_INT, MPI_MINLOC,
                MPI_COMM_WORLD);
  for (size_t i = 0; i < count_; ++i) {
    const int64_t waited = list_[i].time - shortest[i].time;
    waited_ += waited;
    by_this_[static_cast<size_t>(shortest[i].rank)] += waited;
  }
  count_ = 0;
}

void CallTimes::settle() {
  compare();
  MPI_Allreduce(by_this_.data(), by_all_.data(), static_cast<int>(by_all_.size()), MPI_INT64_T,
                MPI_SUM, MPI_COMM_WORLD);
}

}  // namespace stoker::mpi
