#pragma once
#include <string>
#include <vector>

#include "stoker/tensor.h"

namespace stoker::ops {

// Every element `repeats` times in a row.
Tensor repeat(const Tensor& x, int64_t repeats, int64_t axis);

// Samples an axis anew at `size` places. Pixels are squares that touch: the new ones' centres lie
// evenly among the old ones. "nearest", "bilinear", "bicubic" (Keys), "lanczos3" or "lanczos5".
// With antialias a shrinking filter grows with the distance of the new centres.
Tensor resize_axis(const Tensor& x, int64_t axis, int64_t size, const std::string& interpolation,
                   bool antialias = false);

}  // namespace stoker::ops
