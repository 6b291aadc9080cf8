#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "core/memory/counted.h"
#include "data/calls.h"
#include "data/tuning/meter.h"
#include "data/workers.h"

namespace stoker::data {

// Jobs that worker threads run concurrently and whose results are taken in submission order or,
// unordered, in completion order. Waiting for them is added to the meter.
template <class Result>
class Window {
 public:
  Window(Workers& workers, Meter& meter, size_t most, bool ordered = true)
      : workers_(workers),
        meter_(meter),
        most_(most),
        ordered_(ordered),
        shared_(std::make_shared<Shared>()) {}
  // Jobs may refer to the window's owner: none is left after destruction.
  ~Window() {
    shared_->dropped = true;
    while (!slots_.empty()) drop_front();
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool full() const { return slots_.size() >= most_; }
  bool empty() const { return slots_.empty(); }
  size_t size() const { return slots_.size(); }
  void set_most(size_t most) { most_ = most; }
  // The maximum of concurrently running parts.
  void set_most_at_once(size_t parts) {
    const std::lock_guard lock(shared_->mutex);
    shared_->most_at_once = parts;
  }

  // Adds one job, in one part or several that may run concurrently; the last part to finish makes
  // the result ready.
  void add(std::shared_ptr<Result> result, std::vector<std::function<void(Result&)>> parts) {
    throw_if_cancelled();
    auto slot = std::make_shared<Slot>();
    slot->result = std::move(result);
    slot->left = parts.size();
    slots_.push_back(slot);
    const std::lock_guard lock(shared_->mutex);
    for (size_t i = 0; i < parts.size(); ++i)
      shared_->waiting.push_back(
          [slot, shared = shared_, &workers = workers_, i, part = std::move(parts[i])] {
            run(*slot, *shared, workers, i, part);
          });
    submit_waiting(*shared_, workers_);
  }
  void add(std::shared_ptr<Result> result, std::function<void(Result&)> job) {
    std::vector<std::function<void(Result&)>> parts;
    parts.push_back(std::move(job));
    add(std::move(result), std::move(parts));
  }

  // The next result; helps with jobs while waiting. Rethrows the job's exception.
  std::shared_ptr<Result> take() {
    const auto slot = wait();
    if (slot->error) std::rethrow_exception(std::exchange(slot->error, nullptr));
    return std::move(slot->result);
  }

 private:
  struct Slot {
    std::shared_ptr<Result> result;
    std::exception_ptr error;  // of the first part that failed
    size_t failed = std::numeric_limits<size_t>::max();
    size_t left = 0;  // unfinished parts
  };
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::atomic<bool> dropped = false;
    std::deque<std::function<void()>> waiting;  // parts not submitted yet
    size_t submitted = 0, most_at_once = std::numeric_limits<size_t>::max();
  };

  // Requires the mutex.
  static void submit_waiting(Shared& shared, Workers& workers) {
    while (!shared.waiting.empty() && shared.submitted < shared.most_at_once) {
      workers.submit(std::move(shared.waiting.front()));
      shared.waiting.pop_front();
      ++shared.submitted;
    }
  }
  static void run(Slot& slot, Shared& shared, Workers& workers, size_t number,
                  const std::function<void(Result&)>& part) {
    std::exception_ptr error;
    const InPipeline counted;
    const CancelScope cancel(shared.dropped);
    if (!shared.dropped) try {
        part(*slot.result);
      } catch (...) {
        error = std::current_exception();
      }
    const std::lock_guard lock(shared.mutex);
    if (error && number < slot.failed) {
      slot.error = std::move(error);  // the reader of the result is the last to hold it
      slot.failed = number;
    }
    --shared.submitted;
    submit_waiting(shared, workers);
    if (--slot.left == 0) shared.changed.notify_all();
  }

  // Index of a slot that is done and may be taken; slots_.size(): none. Requires the mutex.
  size_t ready() const {
    for (size_t i = 0; i < (ordered_ ? 1 : slots_.size()); ++i)
      if (slots_[i]->left == 0) return i;
    return slots_.size();
  }
  // The oldest job is slow, and the window is too small for other work. Requires the mutex.
  bool stalled() const {
    return full() && shared_->submitted < static_cast<size_t>(workers_.size());
  }
  std::shared_ptr<Slot> wait() {
    std::unique_lock lock(shared_->mutex);
    size_t at = ready();
    for (Patience patience; at == slots_.size(); at = ready()) {
      throw_if_cancelled();
      if (help(lock) || ready() < slots_.size()) continue;
      const TimedWait timed(meter_, stalled());
      if (shared_->changed.wait_for(lock, Patience::pause) == std::cv_status::no_timeout) continue;
      lock.unlock();
      patience.look();
      lock.lock();
    }
    auto slot = std::move(slots_[at]);
    slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(at));
    return slot;
  }
  void drop_front() {
    std::unique_lock lock(shared_->mutex);
    while (slots_.front()->left > 0)
      if (!help(lock) && slots_.front()->left > 0) shared_->changed.wait(lock);
    slots_.pop_front();
  }
  bool help(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    const bool helped = workers_.help();
    lock.lock();
    return helped;
  }

  Workers& workers_;
  Meter& meter_;
  size_t most_;
  const bool ordered_;
  std::deque<std::shared_ptr<Slot>> slots_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace stoker::data
