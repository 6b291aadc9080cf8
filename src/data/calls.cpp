#include "data/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "data/call_trace.h"
#include "stoker/interrupt.h"
#include "stoker/say.h"

namespace stoker::data {
namespace {

thread_local const std::atomic<bool>* cancel_flag = nullptr;

// A thread's current call. Others read it without a lock: they only trust a value that they have
// seen twice.
struct CallOfThread {
  std::atomic<uint64_t> calls = 0, named = 0;
  std::atomic<const char*> stage = nullptr, file = nullptr;  // no stage: not in a call
  std::atomic<uint32_t> line = 0;
  std::atomic<int64_t> number = 0;
  ledger::Time begin = 0;  // for the thread itself; 0: not traced
};

struct AllThreads {
  std::mutex mutex;
  std::vector<std::shared_ptr<CallOfThread>> calls;
};
AllThreads& all_threads() {
  static auto* const all = new AllThreads;  // leaked: threads may end after main
  return *all;
}

struct Trace {
  std::atomic<bool> on = false;
  std::mutex mutex;
  std::vector<CallSpan> spans;
};
Trace& trace() {
  static auto* const only = new Trace;  // leaked, as above
  return *only;
}

void add_to_trace(const char* stage, ledger::Time begin) {
  const std::lock_guard lock(trace().mutex);
  if (trace().on && trace().spans.size() < most_call_spans)
    trace().spans.push_back({std::this_thread::get_id(), stage, begin, ledger::now()});
}

class Registered {
 public:
  Registered() {
    const std::lock_guard lock(all_threads().mutex);
    all_threads().calls.push_back(call_);
  }
  ~Registered() {
    const std::lock_guard lock(all_threads().mutex);
    std::erase(all_threads().calls, call_);
  }
  CallOfThread& call() { return *call_; }

 private:
  std::shared_ptr<CallOfThread> call_ = std::make_shared<CallOfThread>();
};

CallOfThread& of_this_thread() {
  thread_local Registered registered;
  return registered.call();
}

// `stage` was read before: the call may have returned since.
std::string text_of(const CallOfThread& call, const char* stage) {
  const std::string file = call.file.load();
  return fmt::format("element {} of {}, created {}:{}", call.number.load(), stage,
                     file.substr(file.rfind('/') + 1), call.line.load());
}

}  // namespace

CancelScope::CancelScope(const std::atomic<bool>& flag)
    : outer_(std::exchange(cancel_flag, &flag)) {}
CancelScope::~CancelScope() { cancel_flag = outer_; }

void throw_if_cancelled() {
  if (cancel_flag && cancel_flag->load(std::memory_order_relaxed)) throw Cancelled();  // NOLINT
}

CurrentCall::CurrentCall(const char* stage, const std::source_location& created, int64_t number) {
  throw_if_cancelled();
  CallOfThread& call = of_this_thread();
  call.calls.store(call.calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  call.file.store(created.file_name(), std::memory_order_relaxed);
  call.line.store(created.line(), std::memory_order_relaxed);
  call.number.store(number, std::memory_order_relaxed);
  call.stage.store(stage, std::memory_order_release);
  call.begin = trace().on.load(std::memory_order_relaxed) ? ledger::now() : 0;
}
CurrentCall::~CurrentCall() {
  CallOfThread& call = of_this_thread();
  const char* const stage = call.stage.exchange(nullptr, std::memory_order_relaxed);
  if (call.begin != 0 && stage) add_to_trace(stage, call.begin);
}

std::string calls_in_progress() {
  std::vector<std::string> texts;
  const std::lock_guard lock(all_threads().mutex);
  for (const auto& thread : all_threads().calls)
    if (const char* const stage = thread->stage.load(std::memory_order_acquire))
      texts.push_back(text_of(*thread, stage));
  return texts.empty() ? "no call of a function" : fmt::format("{}", fmt::join(texts, " and "));
}

void start_call_trace() {
  const std::lock_guard lock(trace().mutex);
  trace().spans.clear();
  trace().on = true;
}

std::vector<CallSpan> stop_call_trace() {
  const std::lock_guard lock(trace().mutex);
  trace().on = false;
  return std::exchange(trace().spans, {});
}

void OneAtATime::lock() {
  const auto self = std::this_thread::get_id();
  std::unique_lock lock(mutex_);
  wait_for_others(lock, changed_, [&] { return depth_ == 0 || holder_ == self; });
  holder_ = self;
  ++depth_;
}

void OneAtATime::unlock() {
  {
    const std::lock_guard lock(mutex_);
    --depth_;
  }
  changed_.notify_one();
}

void Patience::look() {
  throw_if_cancelled();
  if (interrupted()) throw Interrupted("interrupted while waiting for data.");
  if (said_) return;
  const auto now = std::chrono::steady_clock::now();
  std::vector<Seen> seen;
  const std::lock_guard lock(all_threads().mutex);
  for (const auto& thread : all_threads().calls) {
    const uint64_t call = thread->calls.load();
    const char* const stage = thread->stage.load(std::memory_order_acquire);
    if (!stage) continue;
    const auto before = std::ranges::find_if(
        seen_, [&](const Seen& one) { return one.thread == thread.get() && one.call == call; });
    seen.push_back({thread.get(), call, before == seen_.end() ? now : before->since});
    const std::chrono::duration<double> lasts = now - seen.back().since;
    if (before == seen_.end() || lasts.count() < slow_call_seconds) continue;
    said_ = true;
    if (thread->named.exchange(call) == call) continue;  // by another waiting thread
    say(stderr, fmt::format("stoker: {} has not returned for {:.1f} s.\n", text_of(*thread, stage),
                            lasts.count()));
  }
  seen_ = std::move(seen);
}

}  // namespace stoker::data
