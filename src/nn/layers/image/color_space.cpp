#include "nn/layers/image/color_space.h"

#include <fmt/format.h>

#include "graph/emit.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

Channels channels_of(const Tensor& images) {
  const Shape& shape = images.shape();
  if (shape.back() != 3)
    throw InvalidArgument(
        fmt::format("expects images of three colours, got {}.", to_string(shape)));
  const auto channel = [&](int64_t i) {
    return ops::slice(images, {0, 0, 0, i}, {shape[0], shape[1], shape[2], 1});
  };
  return {channel(0), channel(1), channel(2)};
}

Tensor joined(const Channels& channels) {
  return ops::concatenate({channels[0], channels[1], channels[2]}, -1);
}

Channels rgb_to_hsv(const Channels& rgb) {
  const auto& [red, green, blue] = rgb;
  const Tensor value = ops::maximum(ops::maximum(red, green), blue);
  const Tensor range = value - ops::minimum(ops::minimum(red, green), blue);
  const Tensor zero = graph::scalar_like(value, 0), one = graph::scalar_like(value, 1);
  const Tensor coloured = ops::greater(range, 0), lit = ops::greater(value, 0);
  const Tensor sixth = 1.0 / (ops::where(coloured, range, one) * 6.0);
  const Tensor from_blue = (red - green) * sixth + 4.0 / 6,
               from_green = (blue - red) * sixth + 2.0 / 6;
  const Tensor from_red = (green - blue) * sixth;
  const Tensor shifted = ops::where(ops::equal(red, value), from_red,
                                    ops::where(ops::equal(green, value), from_green, from_blue));
  const Tensor hue = ops::where(ops::less(shifted, 0), shifted + 1.0, shifted);
  const Tensor saturation = ops::where(lit, range / ops::where(lit, value, one), zero);
  return {ops::where(coloured, hue, zero), saturation, value};
}

Channels hsv_to_rgb(const Channels& hsv) {
  const auto& [hue, saturation, value] = hsv;
  const Tensor turn = hue * 6.0;
  const auto shaded = [&](const Tensor& strength) {
    return (1.0 - saturation + saturation * ops::clip(strength, 0, 1)) * value;
  };
  return {shaded(ops::abs(turn - 3.0) - 1.0), shaded(2.0 - ops::abs(turn - 2.0)),
          shaded(2.0 - ops::abs(turn - 4.0))};
}

Tensor rgb_to_grayscale(const Tensor& images) {
  if (images.shape().back() == 1) return images;
  const auto [red, green, blue] = channels_of(images);
  return red * 0.2989 + green * 0.587 + blue * 0.114;
}

}  // namespace stoker::nn
