#pragma once
#include "nn/config/registry.h"
#include "nn/image_data_format.h"
#include "stoker/layer.h"

namespace stoker::nn {

// Transposes images to (batch, height, width, channels) and back.
class ImageFormat {
 public:
  // Checks the argument and fills in Keras's default.
  ImageFormat(std::optional<std::string>& data_format, const Layer& layer)
      : channels_first_(is_channels_first(data_format, to_snake_case(layer.class_name()))) {
    if (!data_format) data_format = "channels_last";
  }

  template <class Transform>
  Tensor apply(const Tensor& x, const Layer& layer, const Transform& transform) const {
    const int rank = x.shape().rank();
    if (rank != 3 && rank != 4)
      throw InvalidArgument(
          fmt::format("[{}] expects images (batch, height, width, channels) or one without the "
                      "batch, got input {}.",
                      to_snake_case(layer.class_name()), to_string(x.shape())));
    return change_images(x, channels_first_, transform);
  }

 private:
  bool channels_first_;
};

}  // namespace stoker::nn
