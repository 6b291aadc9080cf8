#pragma once
#include "nn/image_data_format.h"
#include "nn/operations/operation.h"

// Common part of keras.ops.image: operations take one image or a batch, in either data format.
namespace stoker::nn {

struct FormatArgs {
  std::optional<std::string> data_format = {};
};
template <class V>
void visit(FormatArgs& a, V& v) {
  v("data_format", a.data_format);
}

// Applies a function to images as (batch, height, width, channels).
template <class Change>
std::vector<Tensor> on_images(const FormatArgs& a, const OperationCall& call,
                              const Change& change) {
  return {
      change_images(call.tensor(0), is_channels_first(a.data_format, "keras.ops.image"), change)};
}

}  // namespace stoker::nn
