#include "stoker/interrupt.h"

#include <atomic>

namespace stoker {
namespace {

// Only ever counted up: nobody can clear an interrupt that another one has not seen yet.
std::atomic<uint64_t> interrupts{0};
static_assert(std::atomic<uint64_t>::is_always_lock_free, "interrupt() runs in signal handlers");

thread_local const InterruptScope* outermost = nullptr;

}  // namespace

void interrupt() { interrupts.fetch_add(1, std::memory_order_relaxed); }

bool interrupted() {
  return outermost && interrupts.load(std::memory_order_relaxed) != outermost->seen_;
}

InterruptScope::InterruptScope() : seen_(interrupts.load(std::memory_order_relaxed)) {
  if (!outermost) outermost = this;
}
InterruptScope::~InterruptScope() {
  if (outermost == this) outermost = nullptr;
}

}  // namespace stoker
