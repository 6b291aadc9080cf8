#include "data/workers.h"

#include <atomic>
#include <memory>

#include "core/thread_pool.h"
#include "data/start_thread.h"

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

namespace {

std::atomic<bool> tasks_left = false;

struct Owner {
  ~Owner() {
    if (tasks_left) (void)workers.release();
  }
  std::unique_ptr<Workers> workers = std::make_unique<Workers>(ThreadPool::global().size());
};

}  // namespace

Workers& Workers::global() {
  static Owner owner;
  return *owner.workers;
}

void Workers::leave_global() { tasks_left = true; }

void Workers::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
    std::thread thread;
    if (running_.size() < static_cast<size_t>(threads_) && start_thread(thread, [this] { work(); }))
      running_.push_back(std::move(thread));
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
