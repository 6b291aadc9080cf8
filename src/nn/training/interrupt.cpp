#include "stoker/interrupt.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "distribution/collectives.h"
#include "nn/training/ranks/agreement.h"

namespace stoker {
namespace {

// Only incremented: nobody can clear an interrupt that somebody else has not seen yet.
std::atomic<uint64_t> interrupts{0};
static_assert(std::atomic<uint64_t>::is_always_lock_free, "interrupt() runs in signal handlers");

// With several ranks: how many interrupts all ranks know of, and how many of this process's are
// included.
std::atomic<uint64_t> agreed{0}, handed_in{0};

// Of this thread's outermost InterruptScope: is there one, and what was before it?
struct CountedBefore {
  bool is_open = false;
  uint64_t interrupts = 0, agreed = 0;
};
thread_local CountedBefore before_scope;
thread_local const nn::StopScope* outermost_stop = nullptr;

}  // namespace

void interrupt() { interrupts.fetch_add(1, std::memory_order_relaxed); }

bool interrupted() {
  if (!before_scope.is_open) return false;
  if (agreed.load(std::memory_order_relaxed) != before_scope.agreed) return true;
  const bool counts_own =
      distribution::size() == 1 || (outermost_stop && !outermost_stop->together());
  return counts_own && interrupts.load(std::memory_order_relaxed) != before_scope.interrupts;
}

nn::StopScope::StopScope(bool together) : together_(together) {
  if (!outermost_stop) outermost_stop = this;
}
nn::StopScope::~StopScope() {
  if (outermost_stop == this) outermost_stop = nullptr;
}

bool nn::was_interrupted_here() {
  return interrupts.load() > std::max(handed_in.load(), before_scope.interrupts);
}
void nn::agree_on_interrupt() {
  handed_in = interrupts.load();
  ++agreed;
}

InterruptScope::InterruptScope() : outermost_(!std::exchange(before_scope.is_open, true)) {
  if (outermost_) before_scope = {true, interrupts.load(), agreed.load()};
}
InterruptScope::~InterruptScope() {
  if (outermost_) before_scope.is_open = false;
}

}  // namespace stoker
