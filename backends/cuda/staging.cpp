#include "staging.h"

namespace stoker::cuda {

// Whoever waits here for the lock wants this piece, too, and has to wait for its copy anyway.
Staging::Held::Held(Piece& piece, uint64_t bytes) : piece_(piece), lock_(piece.guard) {
  if (!piece.memory)
    check(driver().cuMemAllocHost(&piece.memory, bytes), "taking page-locked memory");
  if (!piece.copied)
    check(driver().cuEventCreate(&piece.copied, CU_EVENT_DISABLE_TIMING), "creating an event");
  wait();
}

void Staging::Held::mark_copy(CUstream stream) const {
  check(driver().cuEventRecord(piece_.copied, stream), "marking a copy");
}

void Staging::Held::wait() const {
  check(driver().cuEventSynchronize(piece_.copied), "waiting for a copy");
}

}  // namespace stoker::cuda
