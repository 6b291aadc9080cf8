#include "stoker/interrupt.h"

#include <atomic>

#include "distribution/collectives.h"
#include "nn/training/ranks/agreement.h"

namespace stoker {
namespace {

// Only incremented: nobody can clear an interrupt that somebody else has not seen yet.
std::atomic<uint64_t> interrupts{0};
static_assert(std::atomic<uint64_t>::is_always_lock_free, "interrupt() runs in signal handlers");

// With several ranks: how many interrupts all ranks know of, and how many of this process's are
// included. No rank stops alone: the others would wait for it.
std::atomic<uint64_t> agreed{0}, handed_in{0};

thread_local const InterruptScope* outermost = nullptr;

uint64_t known_interrupts() {
  return (distribution::size() > 1 ? agreed : interrupts).load(std::memory_order_relaxed);
}

}  // namespace

void interrupt() { interrupts.fetch_add(1, std::memory_order_relaxed); }

bool interrupted() { return outermost && known_interrupts() != outermost->seen_; }

bool nn::was_interrupted_here() { return interrupts.load() != handed_in.load(); }
void nn::agree_on_interrupt() {
  handed_in = interrupts.load();
  ++agreed;
}

InterruptScope::InterruptScope() : seen_(known_interrupts()) {
  if (!outermost) outermost = this;
}
InterruptScope::~InterruptScope() {
  if (outermost == this) outermost = nullptr;
}

}  // namespace stoker
