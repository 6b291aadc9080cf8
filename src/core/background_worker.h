#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace stoker {

// Runs jobs sequentially in a background thread, for example to write files during training. The
// thread starts with the first job. With several processes only the first one runs them.
class BackgroundWorker {
 public:
  BackgroundWorker() = default;
  ~BackgroundWorker();  // runs queued jobs; their errors are lost
  BackgroundWorker(const BackgroundWorker&) = delete;
  BackgroundWorker& operator=(const BackgroundWorker&) = delete;

  // A queued job with the same key is dropped: its result would be overwritten anyway. Rethrows an
  // earlier job's exception; after an error no job runs until it was rethrown here or by finish().
  void submit(std::string key, std::function<void()> job);
  // Waits until all jobs are done. Rethrows a job's exception.
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
