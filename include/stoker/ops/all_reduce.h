#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

// How a gradient passes back through a sum over all ranks.
enum class ReduceGradient {
  summed,  // ranks go on with the sum differently: theirs are added, too
  local    // all of them compute the same with it, such as a loss that each minimises its part of
};

// The sum over the ranks that train together, on each of them. In a step that is not divided among
// ranks this is the tensor itself, and no op at all.
Tensor all_reduce(const Tensor& x, ReduceGradient gradient = ReduceGradient::summed);
// The same for each of them. Small ones travel together: a pass sees to that.
std::vector<Tensor> all_reduce(const std::vector<Tensor>& tensors,
                               ReduceGradient gradient = ReduceGradient::summed);

// How many elements the tensors of all ranks have together, of which each has its rows' share.
double count_over_ranks(const Tensor& x);
// Of a value that every rank has for its rows: the mean over all rows of the batch.
Tensor mean_over_ranks(const Tensor& x, ReduceGradient gradient = ReduceGradient::local);

}  // namespace stoker::ops
