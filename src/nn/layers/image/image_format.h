#pragma once
#include <fmt/format.h>

#include <optional>
#include <string>

#include "nn/config/registry.h"
#include "stoker/layer.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

// Brings images into (batch, height, width, channels) and back.
class ImageFormat {
 public:
  // Checks the argument and fills in Keras's default.
  ImageFormat(std::optional<std::string>& data_format, const Layer& layer) {
    if (!data_format) data_format = "channels_last";
    if (*data_format != "channels_last" && *data_format != "channels_first")
      throw InvalidArgument(fmt::format(
          "[{}] data_format must be \"channels_last\" or \"channels_first\", got \"{}\".",
          to_snake_case(layer.class_name()), *data_format));
    channels_first_ = *data_format == "channels_first";
  }

  template <class Transform>
  Tensor apply(const Tensor& x, const Layer& layer, const Transform& transform) const {
    const int rank = x.shape().rank();
    if (rank != 3 && rank != 4)
      throw InvalidArgument(
          fmt::format("[{}] expects images (batch, height, width, channels) or one without the "
                      "batch, got input {}.",
                      to_snake_case(layer.class_name()), to_string(x.shape())));
    Tensor images = rank == 3 ? ops::expand_dims(x, 0) : x;
    if (channels_first_) images = ops::transpose(images, {0, 2, 3, 1});
    Tensor y = transform(images);
    if (channels_first_) y = ops::transpose(y, {0, 3, 1, 2});
    return rank == 3 ? ops::squeeze(y, 0) : y;
  }

 private:
  bool channels_first_ = false;
};

}  // namespace stoker::nn
