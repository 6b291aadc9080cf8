#pragma once
#include <cstdint>

namespace stoker::distribution {

// The rows of a global batch that one rank processes.
struct Slice {
  int64_t rows = 0;   // of the global batch
  int64_t first = 0;  // index of this rank's first row
  int64_t here = 0;   // number of this rank's rows
  // Every rank computes with all rows, and nothing has to be summed over ranks.
  bool is_whole() const { return here == rows; }
  bool operator==(const Slice&) const = default;
};

// How batches are divided among ranks; the default is a single process.
struct Division {
  int64_t rank = 0, size = 1;
  // Contiguous rows, in numbers as equal as possible. A batch with fewer rows than ranks is not
  // divided: each rank computes all of it.
  Slice of(int64_t rows) const {
    if (rows < size) return {rows, 0, rows};
    const int64_t first = rows * rank / size;
    return {rows, first, rows * (rank + 1) / size - first};
  }
  bool operator==(const Division&) const = default;
};

// While it lives, this thread traces the step of one rank for this slice.
class SliceScope {
 public:
  explicit SliceScope(const Slice& slice);
  ~SliceScope();
  SliceScope(const SliceScope&) = delete;
  SliceScope& operator=(const SliceScope&) = delete;

 private:
  Slice slice_;
  const Slice* outer_;
};

// The innermost scope's slice, if there is one and it is not the whole batch; else null: nothing is
// divided.
const Slice* current_slice();

}  // namespace stoker::distribution
