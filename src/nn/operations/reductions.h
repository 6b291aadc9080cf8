#pragma once
#include "stoker/config.h"
#include "stoker/ops/reduce.h"

// Common part of the reductions.
namespace stoker::nn {

struct ReductionArgs {
  Config axis = {};  // a number, a list, or null for all
  bool keepdims = false;
};
template <class V>
void visit(ReductionArgs& a, V& v) {
  v("axis", a.axis);
  v("keepdims", a.keepdims);
}

ops::ReduceArgs over(const Tensor& x, const ReductionArgs& args);
Tensor product_over(const Tensor& x, const ReductionArgs& args);
// Replaces NaN by `instead`.
Tensor without_nans(const Tensor& x, double instead);

}  // namespace stoker::nn
