#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace stoker {

template <typename Signature>
class FunctionRef;

// A borrowed callable: two words, no allocation; the callable must outlive the call.
template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>) FunctionRef(
      F&& callable)  // NOLINT(google-explicit-constructor): meant to bind lambdas in place
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

// What STOKER_NUM_THREADS says; 0: nothing. Throws InvalidArgument if that is no number of threads.
int asked_threads();

// Fork-join over a fixed set of threads. The caller takes part; a part is always the same piece of
// work whoever executes it, so results never depend on timing.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Sized by STOKER_NUM_THREADS, else by affinity and cgroup quota.
  static ThreadPool& global();

  int size() const { return static_cast<int>(queues_size_); }

  // Calls fn(0) ... fn(parts - 1), each once, and returns when all are done. Runs inline when
  // called from inside a part or while another thread is using the pool. fn must not throw.
  void run(int parts, FunctionRef<void(int)> fn);

 private:
  // Parts t, t + size, ... belong to thread t first (warm caches); others may steal them.
  struct alignas(64) Queue {
    std::atomic<uint64_t> ticket{0};  // epoch in the high half, parts left in the low half
  };

  void worker(int self);
  void publish(int parts, const FunctionRef<void(int)>& fn);
  void work(int self, uint32_t epoch);
  bool take_one(int queue, uint32_t epoch);
  void await_completion();

  const int queues_size_;
  const std::unique_ptr<Queue[]> queues_;
  const FunctionRef<void(int)>* job_ = nullptr;
  alignas(64) std::atomic<uint32_t> epoch_{0};
  std::atomic<bool> stopping_{false};
  alignas(64) std::atomic<int> pending_{0};
  std::mutex busy_;
  std::vector<std::thread> workers_;
};

// fn(begin, end) over [0, n) in equal chunks of at least `grain`; inline when one chunk suffices.
template <typename F>
void parallel_for(int64_t n, int64_t grain, F&& fn) {
  if (n <= 0) return;
  ThreadPool& pool = ThreadPool::global();
  const int64_t chunks =
      std::min<int64_t>(pool.size(), std::max<int64_t>(1, n / std::max<int64_t>(grain, 1)));
  if (chunks == 1) {
    fn(int64_t{0}, n);
    return;
  }
  pool.run(static_cast<int>(chunks),
           [&](int part) { fn(n * part / chunks, n * (part + 1) / chunks); });
}

}  // namespace stoker
