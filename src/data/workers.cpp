#include "data/workers.h"

#include "core/cores_in_use.h"
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
  if (waiting_.empty() || tasks_ >= threads_) return false;
  run_next(lock);
  return true;
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    run_next(lock);
  }
}

void Workers::run_next(std::unique_lock<std::mutex>& lock) {
  const auto task = std::move(waiting_.front());
  waiting_.pop_front();
  ++tasks_;
  lock.unlock();
  {
    const UsesCore here;
    task();
  }
  lock.lock();
  --tasks_;
}

}  // namespace stoker::data
