#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/round_up.h"
#include "kernels/conv2d.h"

namespace stoker::cpu {

// The image that a convolution slides over: padded, and for the gradient of a strided one with
// zeros inserted between the pixels. Rows that need neither are read in place, others from a copy.
struct ConvSource {
  int64_t h, w, c;
  int64_t pad_top, pad_left;  // negative: cropped
  int64_t insert_h, insert_w;
  int64_t padded_w;
  bool in_place;

  int64_t pitch() const { return padded_w * c; }
  int64_t copy_floats(int64_t rows) const { return in_place ? 0 : round_up(rows * pitch(), 16); }

  // Rows [row, row + rows) of the padded image; `copy` must have copy_floats(rows).
  const float* rows_at(const float* image, int64_t row, int64_t rows, float* copy) const {
    if (in_place) return image + row * pitch();
    std::memset(copy, 0, rows * pitch() * sizeof(float));
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t at = row + i - pad_top;
      if (at < 0 || at % insert_h != 0 || at / insert_h >= h) continue;
      copy_row(image + at / insert_h * w * c, copy + i * pitch());
    }
    return copy;
  }

 private:
  void copy_row(const float* from, float* to) const {
    const int64_t crop = std::max<int64_t>(0, ceil_div(-pad_left, insert_w));
    const int64_t fitting = ceil_div(padded_w - pad_left, insert_w);
    const int64_t end = std::min(w, fitting);
    if (insert_w == 1 && end > crop) {
      std::memcpy(to + (pad_left + crop) * c, from + crop * c, (end - crop) * c * sizeof(float));
      return;
    }
    for (int64_t x = crop; x < end; ++x) {
      std::memcpy(to + (pad_left + x * insert_w) * c, from + x * c, c * sizeof(float));
    }
  }
};

inline ConvSource forward_source(const Conv2dShape& s) {
  const bool padded = s.pad_top || s.pad_bottom || s.pad_left || s.pad_right;
  return {s.in_h, s.in_w, s.in_c, s.pad_top, s.pad_left, 1, 1, s.in_w + s.pad_left + s.pad_right,
          !padded};
}

// The convolution over dy whose result is dx.
inline Conv2dShape gradient_shape(const Conv2dShape& s) {
  Conv2dShape g = s;
  g.in_h = s.out_h(), g.in_w = s.out_w(), g.in_c = s.out_c, g.out_c = s.in_c;
  g.stride_h = g.stride_w = 1;
  g.pad_top = (s.kernel_h - 1) * s.dilation_h - s.pad_top;
  g.pad_left = (s.kernel_w - 1) * s.dilation_w - s.pad_left;
  return g;
}

inline ConvSource gradient_source(const Conv2dShape& s) {
  const Conv2dShape g = gradient_shape(s);
  const int64_t padded_w = s.in_w + (s.kernel_w - 1) * s.dilation_w;
  const bool plain = g.pad_top == 0 && g.pad_left == 0 && s.stride_h == 1 && s.stride_w == 1 &&
                     padded_w == g.in_w && s.in_h + (s.kernel_h - 1) * s.dilation_h == g.in_h;
  return {g.in_h, g.in_w, g.in_c, g.pad_top, g.pad_left, s.stride_h, s.stride_w, padded_w, plain};
}

}  // namespace stoker::cpu
