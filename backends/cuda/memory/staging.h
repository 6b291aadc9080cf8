#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "core/round_up.h"
#include "libraries/library.h"

namespace stoker::cuda {

// Page-locked staging buffers for copies to a GPU, used round-robin: each is free when its copy is
// done. Threads with different pieces do not block each other.
class Staging {
 public:
  static constexpr uint64_t small_bytes = uint64_t{256} << 10, large_bytes = uint64_t{8} << 20;

  struct Piece {
    void* memory = nullptr;
    CUevent copied = nullptr;  // recorded after the copy that uses it
    std::mutex guard;
  };
  // A free piece, exclusively held.
  class Held {
   public:
    Held(Piece& piece, uint64_t bytes);
    void* memory() const { return piece_.memory; }
    void mark_copy(CUstream stream) const;  // work enqueued so far uses the piece
    void wait() const;                      // until that is done

   private:
    Piece& piece_;
    std::lock_guard<std::mutex> lock_;
  };
  Held take_small() { return next(small_, small_bytes); }
  Held take_large() { return next(large_, large_bytes); }

  // Sends at most small_bytes in order with the GPU's work: enqueue(memory, full) copies them from
  // there, and then records `full`, if not null. Such copies are packed into a piece, which is
  // marked when it is full: an event for each would take as long as the copy.
  template <class Enqueue>
  void send_small(const void* from, uint64_t bytes, Enqueue enqueue) {
    const std::lock_guard lock(shared_guard_);
    char* const memory = room_in_shared();
    std::memcpy(memory, from, bytes);
    shared_used_ += round_up(bytes, 64);
    const bool full = shared_used_ + small_bytes > shared_bytes;
    enqueue(memory, full ? shared_[shared_now_].copied : nullptr);
    if (!full) return;
    shared_now_ = (shared_now_ + 1) % shared_.size();
    shared_used_ = 0;
  }

 private:
  static constexpr uint64_t shared_bytes = uint64_t{1} << 20;
  char* room_in_shared();  // in a piece whose last round of copies is done

  template <size_t n>
  struct Ring {
    std::array<Piece, n> pieces;
    std::atomic<size_t> next{0};
  };
  template <size_t n>
  static Held next(Ring<n>& ring, uint64_t bytes) {
    return Held(ring.pieces[ring.next++ % n], bytes);
  }

  Ring<16> small_;
  Ring<2> large_;
  std::mutex shared_guard_;
  std::array<Piece, 4> shared_;
  size_t shared_now_ = 0;
  uint64_t shared_used_ = 0;
};

}  // namespace stoker::cuda
