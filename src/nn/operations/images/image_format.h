#pragma once
#include "nn/operations/operation.h"
#include "stoker/ops/shape_ops.h"

// What the operations of keras.ops.image share: they take one image or a batch, in either format.
namespace stoker::nn {

struct FormatArgs {
  std::optional<std::string> data_format = {};
};
template <class V>
void visit(FormatArgs& a, V& v) {
  v("data_format", a.data_format);
}

// Changes images as (batch, height, width, channels).
template <class Change>
std::vector<Tensor> on_images(const FormatArgs& a, const OperationCall& call,
                              const Change& change) {
  Tensor x = call.tensor(0);
  const bool one = x.shape().rank() == 3, first = a.data_format.value_or("") == "channels_first";
  if (one) x = ops::expand_dims(x, 0);
  if (first) x = ops::transpose(x, {0, 2, 3, 1});
  Tensor y = change(x);
  if (first) y = ops::transpose(y, {0, 3, 1, 2});
  return {one ? ops::squeeze(y, 0) : y};
}

}  // namespace stoker::nn
