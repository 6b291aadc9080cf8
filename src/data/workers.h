#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace stoker::data {

// The thread pool shared by pipelines. Tasks start in submission order and must not throw, nor wait
// for other tasks.
class Workers {
 public:
  explicit Workers(int threads);
  ~Workers();  // tasks that have not started are dropped
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  static Workers& global();  // as many as the kernels' threads; started by the first task
  // A task may never return: the program ends without waiting for global()'s threads.
  static void leave_global();
  int size() const { return threads_; }

  void submit(std::function<void()> task);
  bool help();  // runs one queued task in the calling thread; false: none queued

 private:
  void work();

  const int threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool ends_ = false;
  std::vector<std::thread> running_;
};

}  // namespace stoker::data
