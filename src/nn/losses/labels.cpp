#include "nn/losses/labels.h"

#include <fmt/format.h>

#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

Tensor labels_for(const std::string& name, const Tensor& y_true, const Shape& output) {
  auto rows = output.dims();
  if (!rows.empty()) rows.back() = 1;
  const Shape with_one(rows);
  if (!rows.empty()) rows.pop_back();
  const Shape without(rows);
  if (output.rank() == 0 || (y_true.shape() != without && y_true.shape() != with_one))
    throw InvalidArgument(fmt::format("[{}] targets {} do not fit outputs {}.", name,
                                      to_string(y_true.shape()), to_string(output)),
                          y_true.shape() == output
                              ? "the targets look one-hot: leave out \"sparse_\" in the name."
                              : "the targets must be one label for each row of the outputs.");
  const Tensor labels = is_integer(y_true.dtype()) ? y_true : ops::cast(y_true, DType::int64);
  return labels.shape() == without ? labels : ops::reshape(labels, without);
}

}  // namespace stoker::nn
