#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "libraries/library.h"

namespace stoker::cuda {

// Page-locked pieces of the host's memory through which a GPU's copies go. They take turns: each is
// free when the copy that uses it is done. Threads that hold different pieces do not meet.
class Staging {
 public:
  static constexpr uint64_t small_bytes = uint64_t{256} << 10, large_bytes = uint64_t{8} << 20;

  struct Piece {
    void* memory = nullptr;
    CUevent copied = nullptr;  // to be recorded behind the copy that uses it
    std::mutex guard;
  };
  // A piece that no copy uses any more, for its holder alone.
  class Held {
   public:
    Held(Piece& piece, uint64_t bytes);
    void* memory() const { return piece_.memory; }
    void mark_copy(CUstream stream) const;  // what is enqueued there so far uses the piece
    void wait() const;                      // until that is done

   private:
    Piece& piece_;
    std::lock_guard<std::mutex> lock_;
  };
  Held take_small() { return next(small_, small_bytes); }
  Held take_large() { return next(large_, large_bytes); }

 private:
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
};

}  // namespace stoker::cuda
