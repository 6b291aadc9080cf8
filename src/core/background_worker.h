#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace stoker {

// Runs jobs one after the other in a thread of its own, for example to write files while training
// goes on. The thread starts with the first job. Of several processes of one training the first
// alone runs them.
class BackgroundWorker {
 public:
  BackgroundWorker() = default;
  ~BackgroundWorker();  // runs what still waits; an error of it is lost
  BackgroundWorker(const BackgroundWorker&) = delete;
  BackgroundWorker& operator=(const BackgroundWorker&) = delete;

  // A job with the same key that has not begun is dropped: its result would be overwritten anyway.
  // Throws what an earlier job threw; after an error no job runs until it was thrown here or by
  // finish().
  void submit(std::string key, std::function<void()> job);
  // Waits until every job is done. Throws what one of them threw.
  void finish();

 private:
  struct Job {
    std::string key;
    std::function<void()> run;
  };
  void work();
  void run_next(std::unique_lock<std::mutex>& lock);
  void rethrow();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  bool running_ = false, ends_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace stoker
