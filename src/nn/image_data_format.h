#pragma once
#include <fmt/format.h>

#include <optional>
#include <string>

#include "stoker/error.h"
#include "stoker/ops/shape_ops.h"

// Images in either of Keras's formats, one or a batch of them.
namespace stoker::nn {

// "channels_last" if it is not given. Throws InvalidArgument for an unknown format.
inline bool is_channels_first(const std::optional<std::string>& data_format,
                              const std::string& who) {
  const std::string format = data_format.value_or("channels_last");
  if (format != "channels_last" && format != "channels_first")
    throw InvalidArgument(
        fmt::format("[{}] data_format must be \"channels_last\" or \"channels_first\", got \"{}\".",
                    who, format));
  return format == "channels_first";
}

// Changes images as (batch, height, width, channels), and brings them back into their format.
template <class Change>
Tensor change_images(const Tensor& x, bool channels_first, const Change& change) {
  const bool one = x.shape().rank() == 3;
  Tensor images = one ? ops::expand_dims(x, 0) : x;
  if (channels_first) images = ops::transpose(images, {0, 2, 3, 1});
  Tensor y = change(images);
  if (channels_first) y = ops::transpose(y, {0, 3, 1, 2});
  return one ? ops::squeeze(y, 0) : y;
}

}  // namespace stoker::nn
