#pragma once
#include "stoker/tensor.h"

namespace stoker::ops {

// The gradient of a sum over all ranks.
enum class ReduceGradient {
  summed,  // ranks use the sum differently: their gradients are summed, too
  local    // all ranks compute the same with it, such as a loss of which each minimises its part
};

// All-reduce: the sum over all ranks, on each of them. In a step that is not divided among ranks
// this is the tensor itself, without an op.
Tensor all_reduce(const Tensor& x, ReduceGradient gradient = ReduceGradient::summed);
// The same for several tensors. A pass merges small ones into one message.
std::vector<Tensor> all_reduce(const std::vector<Tensor>& tensors,
                               ReduceGradient gradient = ReduceGradient::summed);

// The total number of elements over all ranks, of which each has its rows' part.
double count_over_ranks(const Tensor& x);
// The mean over all rows of the batch of a value that each rank has for its own rows.
Tensor mean_over_ranks(const Tensor& x, ReduceGradient gradient = ReduceGradient::local);

}  // namespace stoker::ops
