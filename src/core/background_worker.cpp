#include "core/background_worker.h"

#include <algorithm>
#include <utility>

#include "core/main_process.h"

namespace stoker {

BackgroundWorker::~BackgroundWorker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BackgroundWorker::submit(std::string key, std::function<void()> job) {
  if (!is_main_process()) return;
  {
    const std::lock_guard lock(mutex_);
    rethrow();
    std::erase_if(waiting_, [&](const Job& other) { return other.key == key; });
    waiting_.push_back({std::move(key), std::move(job)});
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  }
  changed_.notify_all();
}

void BackgroundWorker::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() && !running_; });
  rethrow();
}

void BackgroundWorker::rethrow() {
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void BackgroundWorker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !waiting_.empty() || ends_; });
    if (waiting_.empty()) return;
    run_next(lock);
  }
}

// Jobs submitted after a failed one may depend on its result, so they are dropped.
void BackgroundWorker::run_next(std::unique_lock<std::mutex>& lock) {
  Job job = std::move(waiting_.front());
  waiting_.pop_front();
  running_ = true;
  lock.unlock();
  std::exception_ptr error;
  try {
    job.run();
  } catch (...) {
    error = std::current_exception();
  }
  job.run = nullptr;  // releases what it holds before waiters are notified
  lock.lock();
  running_ = false;
  if (error) {
    error_ = error;
    waiting_.clear();
  }
  changed_.notify_all();
}

}  // namespace stoker
