#pragma once
#include <vector>

#include "stoker/tensor.h"

namespace stoker::ops {

// No axes: all of them.
struct ReduceArgs {
  std::vector<int64_t> axis = {};
  bool keepdims = false;
};
Tensor sum(const Tensor& x, const ReduceArgs& args = {});
Tensor mean(const Tensor& x, const ReduceArgs& args = {});
Tensor max(const Tensor& x, const ReduceArgs& args = {});
Tensor min(const Tensor& x, const ReduceArgs& args = {});
Tensor argmax(const Tensor& x, int64_t axis = -1);  // int64; ties go to the first

// Sums over the broadcast axes, so that the result has `shape`.
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace stoker::ops
