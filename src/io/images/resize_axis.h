#pragma once
#include <cstdint>
#include <vector>

#include "io/images/resize.h"

namespace stoker::images {

// How one side of an image becomes another: output i is the sum of weights[i * taps + t] times
// input starts[i] + t, all of which exist.
struct Axis {
  std::vector<int32_t>& starts;
  std::vector<float>& weights;
  int taps = 0;

  // The result's `out` pixels from [begin, begin + length) of `in` pixels.
  void plan(int64_t in, double begin, double length, int64_t out, const ResizeOptions& options);
  void reverse();
};

}  // namespace stoker::images
