#include "core/thread_pool.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "core/flush_denormals.h"
#include "stoker/error.h"

namespace stoker {
namespace {

constexpr int spins = 4000;   // tens of microseconds or more: longer than the gaps inside a step
constexpr int patience = 64;  // about a microsecond: enough for a running thread to begin its part
constexpr int max_threads = 1024;

// The contents of a queue's ticket: the job's number, whether threads steal parts from each other,
// how many threads it has, and how many of this thread's parts are left. A thread that comes late
// to a job finds no part left, or another job.
struct Ticket {
  static constexpr int left_bits = 20, member_bits = 11;
  static constexpr uint64_t left_mask = (uint64_t{1} << left_bits) - 1;
  static constexpr uint64_t member_mask = (uint64_t{1} << member_bits) - 1;

  static uint64_t make(uint32_t number, bool shared, int members) {
    return uint64_t{number} << 32 | uint64_t{shared} << 31 |
           static_cast<uint64_t>(members) << left_bits;
  }
  static uint64_t left(uint64_t ticket) { return ticket & left_mask; }
  static uint64_t job(uint64_t ticket) { return ticket & ~left_mask; }
  static int members(uint64_t ticket) {
    return static_cast<int>(ticket >> left_bits & member_mask);
  }
  static bool shared(uint64_t ticket) { return ticket >> 31 & 1; }
};
static_assert(Ticket::left_bits + Ticket::member_bits == 31 && max_threads <= Ticket::member_mask);

thread_local bool inside_part = false;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Polls until `done` is true, at most so many times. A thread spins before it sleeps, because
// waking it up costs more than most kernels take.
template <typename F>
bool spin(int looks, F done) {
  for (int i = 0; i < looks; ++i) {
    if (done()) return true;
    relax();
  }
  return done();
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
  const char* text = std::getenv("STOKER_NUM_THREADS");
  if (!text || !*text) return 0;
  const char* end = text + std::strlen(text);
  int asked = 0;
  const auto [last, problem] = std::from_chars(text, end, asked);
  if (problem != std::errc() || last != end || asked < 1 || asked > max_threads)
    throw InvalidArgument(
        fmt::format("the environment variable STOKER_NUM_THREADS is \"{}\".", text),
        fmt::format("a number from 1 to {}.", max_threads));
  return asked;
}

ThreadPool& ThreadPool::global() {
  static ThreadPool pool(default_threads());
  return pool;
}

ThreadPool::ThreadPool(int threads)
    : queues_size_(std::clamp(threads, 1, max_threads)),
      queues_(std::make_unique<Queue[]>(queues_size_)) {
  for (int t = 1; t < queues_size_; ++t) workers_.emplace_back([this, t] { worker(t); });
}

// A job without members: no thread gets a part of it.
ThreadPool::~ThreadPool() {
  for (int t = 1; t < queues_size_; ++t)
    queues_[t].ticket.store(Ticket::make(number_ + 1, false, 0));
  wake(queues_size_);
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
  finish(Ticket::job(queues_[0].ticket.load(std::memory_order_relaxed)));
}

void ThreadPool::publish(int parts, const FunctionRef<void(int)>& fn) {
  const int members = std::min(parts, queues_size_);
  const uint64_t job = Ticket::make(++number_, parts > members, members);
  job_ = &fn;
  pending_.store(parts, std::memory_order_relaxed);
  for (int t = 0; t < members; ++t)
    queues_[t].ticket.store(job | static_cast<uint64_t>((parts - t - 1) / queues_size_ + 1),
                            std::memory_order_release);
  wake(members);
}

// A thread first announces that it sleeps, then checks for a ticket once more; here the ticket is
// stored first, then the announcement is read. Both use exchange, so the later of the two sees the
// other's store.
void ThreadPool::wake(int members) {
  for (int t = 1; t < members; ++t)
    if (queues_[t].asleep.exchange(0, std::memory_order_acq_rel) != 0)
      queues_[t].asleep.notify_one();
}

bool ThreadPool::has_other_job(int self, uint64_t last) const {
  return Ticket::job(queues_[self].ticket.load(std::memory_order_acquire)) != last;
}

uint64_t ThreadPool::await_job(int self, uint64_t last) {
  Queue& queue = queues_[self];
  const auto is_new = [&] { return has_other_job(self, last); };
  while (!spin(spins, is_new)) {
    queue.asleep.exchange(1, std::memory_order_acq_rel);
    if (!is_new()) queue.asleep.wait(1, std::memory_order_acquire);
    queue.asleep.store(0, std::memory_order_relaxed);
  }
  return Ticket::job(queue.ticket.load(std::memory_order_acquire));
}

// A thread that is done gives the others time to begin, then steals the parts of those that have
// not: they may be asleep, or not scheduled at all.
void ThreadPool::worker(int self) {
  const FlushDenormals flush;
  inside_part = true;
  uint64_t job = 0;
  while (true) {
    job = await_job(self, job);
    if (Ticket::members(job) == 0) return;
    while (take_one(self, job)) {
    }
    if (Ticket::shared(job) || !spin(patience, [&] { return has_other_job(self, job); }))
      help(self, job);
  }
}

// Only after a successful claim are the job's fields known to be alive: the ticket's number keeps a
// late thread from claiming a part of a job that it was not given.
bool ThreadPool::take_one(int queue, uint64_t job) {
  std::atomic<uint64_t>& ticket = queues_[queue].ticket;
  uint64_t seen = ticket.load(std::memory_order_acquire);
  do {
    if (Ticket::job(seen) != job || Ticket::left(seen) == 0) return false;
  } while (!ticket.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel));
  (*job_)(queue + queues_size_ * static_cast<int>(Ticket::left(seen) - 1));
  if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) pending_.notify_one();
  return true;
}

void ThreadPool::help(int self, uint64_t job) {
  const int members = Ticket::members(job);
  for (int i = 1; i < members; ++i)
    while (take_one((self + i) % members, job)) {
    }
}

void ThreadPool::finish(uint64_t job) {
  inside_part = true;
  while (take_one(0, job)) {
  }
  const auto all_done = [&] { return pending_.load(std::memory_order_acquire) == 0; };
  if (Ticket::shared(job) || !spin(patience, all_done)) help(0, job);
  inside_part = false;
  if (spin(spins, all_done)) return;
  for (int left = pending_.load(std::memory_order_acquire); left != 0;
       left = pending_.load(std::memory_order_acquire))
    pending_.wait(left, std::memory_order_acquire);
}

}  // namespace stoker
