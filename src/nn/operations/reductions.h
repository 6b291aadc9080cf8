#pragma once
#include "stoker/config.h"
#include "stoker/ops/reduce.h"

// What the operations that reduce share.
namespace stoker::nn {

struct ReductionArgs {
  Config axis = {};  // a number, several, or null for all
  bool keepdims = false;
};
template <class V>
void visit(ReductionArgs& a, V& v) {
  v("axis", a.axis);
  v("keepdims", a.keepdims);
}

ops::ReduceArgs over(const Tensor& x, const ReductionArgs& args);
Tensor product_over(const Tensor& x, const ReductionArgs& args);
// What is no number counts as `instead`.
Tensor without_nans(const Tensor& x, double instead);

}  // namespace stoker::nn
