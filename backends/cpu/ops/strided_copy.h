#pragma once
#include <vector>

#include "core/round_up.h"
#include "ops/support.h"

// Copies a box of elements from one strided layout to another: the core of transposes, slices, pads
// and concatenations.
namespace stoker::cpu {

struct CopyAxis {
  int64_t size, from, to;  // strides in both layouts, in elements
};

class StridedCopy {
 public:
  explicit StridedCopy(const std::vector<CopyAxis>& axes);

  template <class T>
  void run(const T* from, T* to) const {
    if (rows_moved_whole())
      copy_rows(from, to);
    else
      copy_tiles(from, to);
  }

 private:
  struct Offsets {
    int64_t from = 0, to = 0;
  };
  bool rows_moved_whole() const { return inner_.from == 1 && inner_.to == 1; }
  Offsets outer_offsets(int64_t i) const {
    Offsets at;
    for (size_t a = outer_.size(); a-- > 0;) {
      at.from += i % outer_[a].size * outer_[a].from;
      at.to += i % outer_[a].size * outer_[a].to;
      i /= outer_[a].size;
    }
    return at;
  }

  template <class T>
  void copy_rows(const T* from, T* to) const {
    parallel_for(outer_count_, grain_for(inner_.size), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Offsets at = outer_offsets(i);
        std::copy_n(from + at.from, inner_.size, to + at.to);
      }
    });
  }

  // Tiled, so that both sides of a tile fit into L1, whichever of them is contiguous.
  template <class T>
  void copy_tiles(const T* from, T* to) const {
    constexpr int64_t tile = 16;
    const int64_t strips = ceil_div(second_.size, tile);
    parallel_for(
        outer_count_ * strips, grain_for(tile * inner_.size), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const Offsets at = outer_offsets(i / strips);
            const int64_t first = i % strips * tile, last = std::min(first + tile, second_.size);
            for (int64_t block = 0; block < inner_.size; block += tile)
              for (int64_t a = first; a < last; ++a)
                for (int64_t b = block; b < std::min(block + tile, inner_.size); ++b)
                  to[at.to + a * second_.to + b * inner_.to] =
                      from[at.from + a * second_.from + b * inner_.from];
          }
        });
  }

  std::vector<CopyAxis> outer_;
  CopyAxis second_{1, 0, 0}, inner_{1, 1, 1};  // the axes of a tile
  int64_t outer_count_ = 1;
};

std::vector<int64_t> strides_of(const Shape& shape);

}  // namespace stoker::cpu
