#include "core/thread_pool.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "stoker/error.h"

namespace stoker {
namespace {

constexpr int kSpins = 4000;  // some tens of microseconds: longer than the gaps inside a step

thread_local bool inside_part = false;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins first because a wake-up from sleep costs more than most kernels take.
template <typename T>
T wait_while_equal(std::atomic<T>& value, T old) {
  for (int i = 0; i < kSpins; ++i) {
    if (const T now = value.load(std::memory_order_acquire); now != old) return now;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

int cgroup_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
  return std::max(1, static_cast<int>(std::strtod(quota.c_str(), nullptr) / period + 0.5));
}

int default_threads() {
  if (const int asked = asked_threads()) return asked;
  int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) cores = CPU_COUNT(&set);
  const int quota = cgroup_quota();
  return std::max(1, quota > 0 ? std::min(cores, quota) : cores);
}

}  // namespace

int asked_threads() {
  constexpr int most = 1024;
  const char* text = std::getenv("STOKER_NUM_THREADS");
  if (!text || !*text) return 0;
  const char* end = text + std::strlen(text);
  int asked = 0;
  const auto [last, problem] = std::from_chars(text, end, asked);
  if (problem != std::errc() || last != end || asked < 1 || asked > most)
    throw InvalidArgument(
        fmt::format("the environment variable STOKER_NUM_THREADS is \"{}\".", text),
        fmt::format("a number from 1 to {}.", most));
  return asked;
}

ThreadPool& ThreadPool::global() {
  static ThreadPool pool(default_threads());
  return pool;
}

ThreadPool::ThreadPool(int threads)
    : queues_size_(std::max(1, threads)), queues_(std::make_unique<Queue[]>(queues_size_)) {
  for (int t = 1; t < queues_size_; ++t) workers_.emplace_back([this, t] { worker(t); });
}

ThreadPool::~ThreadPool() {
  stopping_.store(true, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread& thread : workers_) thread.join();
}

void ThreadPool::run(int parts, FunctionRef<void(int)> fn) {
  if (parts <= 0) return;
  std::unique_lock lock(busy_, std::defer_lock);
  if (parts == 1 || queues_size_ == 1 || inside_part || !lock.try_lock()) {
    for (int part = 0; part < parts; ++part) fn(part);
    return;
  }
  publish(parts, fn);
  work(0, epoch_.load(std::memory_order_relaxed));
  await_completion();
}

void ThreadPool::publish(int parts, const FunctionRef<void(int)>& fn) {
  const uint32_t epoch = epoch_.load(std::memory_order_relaxed) + 1;
  job_ = &fn;
  pending_.store(parts, std::memory_order_relaxed);
  for (int t = 0; t < queues_size_; ++t) {
    const uint64_t count = t < parts ? (parts - t - 1) / queues_size_ + 1 : 0;
    queues_[t].ticket.store(uint64_t{epoch} << 32 | count, std::memory_order_relaxed);
  }
  epoch_.store(epoch, std::memory_order_release);
  epoch_.notify_all();
}

void ThreadPool::worker(int self) {
  uint32_t seen = 0;
  while (true) {
    seen = wait_while_equal(epoch_, seen);
    if (stopping_.load(std::memory_order_relaxed)) return;
    work(self, seen);
  }
}

void ThreadPool::work(int self, uint32_t epoch) {
  inside_part = true;
  for (int i = 0; i < queues_size_; ++i) {
    const int queue = (self + i) % queues_size_;
    while (take_one(queue, epoch)) {
    }
  }
  inside_part = false;
}

// The epoch in the ticket keeps a late worker from touching a job it was not woken for: only after
// a successful claim are the job's fields known to be alive.
bool ThreadPool::take_one(int queue, uint32_t epoch) {
  std::atomic<uint64_t>& ticket = queues_[queue].ticket;
  uint64_t seen = ticket.load(std::memory_order_acquire);
  do {
    if (seen >> 32 != epoch || static_cast<uint32_t>(seen) == 0) return false;
  } while (!ticket.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel));
  (*job_)(queue + queues_size_ * (static_cast<int>(static_cast<uint32_t>(seen)) - 1));
  if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) pending_.notify_one();
  return true;
}

void ThreadPool::await_completion() {
  int left = pending_.load(std::memory_order_acquire);
  while (left != 0) left = wait_while_equal(pending_, left);
}

}  // namespace stoker
