#include "nn/layers/preprocessing/encode_categories.h"

#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

Tensor encode_categories(const Tensor& indices, const std::string& output_mode, int64_t depth,
                         DType dtype, const Tensor& count_weights) {
  if (output_mode == "int") return ops::cast(indices, dtype);
  const int rank = indices.shape().rank();
  if (output_mode == "one_hot") {
    const bool column = rank > 1 && indices.shape().back() == 1;
    return ops::one_hot(column ? ops::squeeze(indices, -1) : indices, depth, dtype);
  }
  const int64_t tokens = rank > 1 ? 1 : 0;
  const bool counts = output_mode == "count";
  // Sums are computed in a floating-point type, which represents small counts exactly.
  Tensor ones = ops::one_hot(indices, depth, DType::float32);
  if (count_weights.defined())
    ones = ones * ops::expand_dims(ops::cast(count_weights, DType::float32), -1);
  const Tensor encoded =
      counts ? ops::sum(ones, {.axis = {tokens}}) : ops::max(ones, {.axis = {tokens}});
  return ops::cast(encoded, dtype);
}

}  // namespace stoker::nn
