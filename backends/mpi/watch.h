#pragma once
#include <mpi.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace stoker::mpi {

// A thread that checks whether this rank has waited in one call for longer than the time limit. If
// so, the waiting ranks exchange their positions; a rank that does not answer is late.
class Watch {
 public:
  Watch(double timeout_seconds, std::vector<std::string> hosts, bool may_talk);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void begin() { since_.store(now(), std::memory_order_relaxed); }
  void end() {
    since_.store(0, std::memory_order_relaxed);
    calls_.fetch_add(1, std::memory_order_relaxed);
  }
  void set_step(int64_t step) { step_.store(step, std::memory_order_relaxed); }
  std::string where() const;  // "rank 1 on host node7 in step 12"

 private:
  struct Report {
    int64_t rank, step, calls;
  };
  static int64_t now();
  void look();
  void end_all();
  std::vector<Report> ask_others(const Report& own) const;
  std::string verdict(const std::vector<Report>& reports) const;
  std::string rank_on_host(int64_t rank) const;

  const double timeout_;
  const std::vector<std::string> hosts_;
  const bool may_talk_;
  int rank_ = 0, size_ = 1;
  MPI_Comm reports_ = MPI_COMM_NULL;
  std::atomic<int64_t> since_{0}, calls_{0}, step_{-1};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

// For calls that every rank makes.
class Waiting {
 public:
  explicit Waiting(Watch& watch) : watch_(watch) { watch_.begin(); }
  ~Waiting() { watch_.end(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Watch& watch_;
};

}  // namespace stoker::mpi
