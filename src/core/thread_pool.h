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

// A non-owning reference to a callable: two words, no allocation; the callable must outlive the
// call.
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

// The value of STOKER_NUM_THREADS; 0: not set. Throws InvalidArgument if it is not a number of
// threads.
int asked_threads();

// Fork-join over a fixed set of threads. The caller takes part; a part is always the same piece of
// work whichever thread executes it, so results never depend on timing. Part t runs on thread t
// unless that thread is late: so data of one job is still in the core's cache for the next. A job
// with few parts leaves the other threads asleep.
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
  // One thread's parts of a job: t, t + size, … . On its own cache line, on which the thread waits.
  struct alignas(64) Queue {
    std::atomic<uint64_t> ticket{0};  // see Ticket in the source
    std::atomic<uint32_t> asleep{0};
  };

  void worker(int self);
  void publish(int parts, const FunctionRef<void(int)>& fn);
  void wake(int members);
  bool has_other_job(int self, uint64_t last) const;
  uint64_t await_job(int self, uint64_t last);
  bool take_one(int queue, uint64_t job);
  void help(int self, uint64_t job);
  void finish(uint64_t job);

  const int queues_size_;
  const std::unique_ptr<Queue[]> queues_;
  const FunctionRef<void(int)>* job_ = nullptr;
  uint32_t number_ = 0;  // of the latest job
  alignas(64) std::atomic<int> pending_{0};
  std::mutex busy_;
  std::vector<std::thread> workers_;
};

// The number of threads worth using for a job of this many grains. A grain is the smallest amount
// of work that repays the cost of another thread. Starting threads, waiting for the last one and
// moving data between caches cost more with every thread, so sixteen threads are used for 128
// grains, eight for 16, and two for 2.
inline int worthwhile_threads(int64_t grains, int threads) {
  int64_t worth = 1;
  while (worth < std::min<int64_t>(threads, grains) &&
         (worth + 1) * (worth + 1) * (worth + 1) <= 32 * grains)
    ++worth;
  return static_cast<int>(worth);
}

// fn(begin, end) over [0, n) in equal chunks, one per thread, with at most so many threads.
template <typename F>
void share_out(int64_t n, int64_t threads, F&& fn) {
  const int64_t chunks = std::min(n, threads);
  if (chunks > 1)
    ThreadPool::global().run(static_cast<int>(chunks),
                             [&](int part) { fn(n * part / chunks, n * (part + 1) / chunks); });
  else if (n > 0)
    fn(int64_t{0}, n);
}

// The same with as many threads as are worth using: `grain` items repay one more thread.
template <typename F>
void parallel_for(int64_t n, int64_t grain, F&& fn) {
  const int64_t grains = n / std::max<int64_t>(grain, 1);
  share_out(n, worthwhile_threads(grains, ThreadPool::global().size()), fn);
}

}  // namespace stoker
