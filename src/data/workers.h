#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace stoker::data {

// The threads that pipelines share. Tasks begin in the order in which they were submitted and must
// not throw, nor wait for other tasks.
class Workers {
 public:
  explicit Workers(int threads);
  ~Workers();  // tasks that have not begun are dropped
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  static Workers& global();  // as many as the kernels' threads; they start with the first task
  int size() const { return threads_; }

  void submit(std::function<void()> task);
  bool help();  // runs one waiting task in the calling thread; false: none waits

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
