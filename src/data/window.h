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

// Jobs that workers do at the same time and whose results are taken in the order in which the jobs
// were given, or, unordered, in the order in which they are done. Waiting for them is added to the
// meter.
template <class Result>
class Window {
 public:
  Window(Workers& workers, Meter& meter, size_t most, bool ordered = true)
      : workers_(workers),
        meter_(meter),
        most_(most),
        ordered_(ordered),
        shared_(std::make_shared<Shared>()) {}
  // Jobs may refer to what the owner of the window has: none is left when it is gone.
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
  // So many parts of jobs may run at the same time.
  void set_most_at_once(size_t parts) {
    const std::lock_guard lock(shared_->mutex);
    shared_->most_at_once = parts;
  }

  // One job, in one part or in several that may run side by side; the last part to end makes the
  // result ready.
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

  // The next result; waits for it, and works on jobs meanwhile. Throws what its job threw.
  std::shared_ptr<Result> take() {
    const auto slot = wait();
    if (slot->error) std::rethrow_exception(std::exchange(slot->error, nullptr));
    return std::move(slot->result);
  }

 private:
  struct Slot {
    std::shared_ptr<Result> result;
    std::exception_ptr error;  // of the first part that failed, whichever was done first
    size_t failed = std::numeric_limits<size_t>::max();
    size_t left = 0;  // parts
  };
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::atomic<bool> dropped = false;
    std::deque<std::function<void()>> waiting;  // parts that are not submitted yet
    size_t submitted = 0, most_at_once = std::numeric_limits<size_t>::max();
  };

  // The mutex is held.
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
      slot.error = std::move(error);  // whoever takes the result is the last to have it
      slot.failed = number;
    }
    --shared.submitted;
    submit_waiting(shared, workers);
    if (--slot.left == 0) shared.changed.notify_all();
  }

  // Index of a slot that is done and may be taken; slots_.size(): none. The mutex is held.
  size_t ready() const {
    for (size_t i = 0; i < (ordered_ ? 1 : slots_.size()); ++i)
      if (slots_[i]->left == 0) return i;
    return slots_.size();
  }
  // The oldest job takes long, and the window is too small for other work. The mutex is held.
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
