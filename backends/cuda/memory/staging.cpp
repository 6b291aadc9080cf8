#include "memory/staging.h"

namespace stoker::cuda {

namespace {

void make(Staging::Piece& piece, uint64_t bytes) {
  if (!piece.memory)
    check(driver().cuMemAllocHost(&piece.memory, bytes), "allocating page-locked memory");
  if (!piece.copied)
    check(driver().cuEventCreate(&piece.copied, CU_EVENT_DISABLE_TIMING), "creating an event");
}

}  // namespace

// A thread that waits here for the lock needs this piece, too, and must wait for its copy anyway.
Staging::Held::Held(Piece& piece, uint64_t bytes) : piece_(piece), lock_(piece.guard) {
  make(piece, bytes);
  wait();
}

void Staging::Held::mark_copy(CUstream stream) const {
  check(driver().cuEventRecord(piece_.copied, stream), "marking a copy");
}

void Staging::Held::wait() const {
  check(driver().cuEventSynchronize(piece_.copied), "waiting for a copy");
}

char* Staging::room_in_shared() {
  Piece& piece = shared_[shared_now_];
  if (shared_used_ == 0) {
    make(piece, shared_bytes);
    check(driver().cuEventSynchronize(piece.copied), "waiting for a copy");
  }
  return static_cast<char*>(piece.memory) + shared_used_;
}

}  // namespace stoker::cuda
