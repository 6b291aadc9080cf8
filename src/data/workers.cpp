#include "data/workers.h"

#include "core/thread_pool.h"

namespace stoker::data {

Workers::Workers(int threads) : threads_(threads) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : running_) thread.join();
}

Workers& Workers::global() {
  static Workers workers(ThreadPool::global().size());
  return workers;
}

void Workers::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
    if (running_.size() < static_cast<size_t>(threads_)) running_.emplace_back([this] { work(); });
  }
  changed_.notify_one();
}

bool Workers::help() {
  std::unique_lock lock(mutex_);
  if (waiting_.empty()) return false;
  const auto task = std::move(waiting_.front());
  waiting_.pop_front();
  lock.unlock();
  task();
  return true;
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    const auto task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace stoker::data
