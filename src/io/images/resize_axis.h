#pragma once
#include <cstdint>
#include <vector>

#include "io/images/resize.h"

namespace stoker::images {

// Resampling along one axis: output i is the sum of weights[i * taps + t] times input starts[i] +
// t; all indices are valid.
struct Axis {
  std::vector<int32_t>& starts;
  std::vector<float>& weights;
  int taps = 0;

  // `out` result pixels from [begin, begin + length) of `in` pixels.
  void plan(int64_t in, double begin, double length, int64_t out, const ResizeOptions& options);
  void reverse();
};

}  // namespace stoker::images
