#pragma once
#include <fmt/format.h>

#include "nn/config/registry.h"
#include "nn/layers/random_layer.h"
#include "stoker/layer.h"

namespace stoker::nn {

// Keras's noise_shape for an input: None is replaced by the input's size.
inline Shape noise_shape(Shape noise, const Shape& input, const Layer& layer) {
  const Shape given = noise;
  bool fits = noise.rank() == input.rank();
  for (int i = 0; fits && i < noise.rank(); ++i) {
    if (noise[i] == unknown) noise[i] = input[i];
    fits = noise[i] == 1 || noise[i] == input[i];
  }
  if (!fits)
    throw InvalidArgument(fmt::format("[{}] noise_shape {} cannot be broadcast over input {}.",
                                      to_snake_case(layer.class_name()), to_string(given),
                                      to_string(input)));
  return noise;
}

// Numbers for an input's elements, or for those of the noise_shape, if one is given.
inline Tensor uniform_noise(Draws random, const std::optional<Shape>& given, const Shape& input,
                            const Layer& layer) {
  if (!given) return random.uniform(input);
  const Shape shape = noise_shape(*given, input, layer);
  return given->rank() > 0 && (*given)[0] == 1 ? random.uniform_for_all(shape)
                                               : random.uniform(shape);
}

}  // namespace stoker::nn
