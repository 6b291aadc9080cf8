#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct SpectralNormalizationArgs {
  LayerRef layer;  // with a kernel or embeddings
  int64_t power_iterations = 1;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// In training, divides the layer's kernel by an estimate of its largest singular value first.
LayerRef SpectralNormalization(const SpectralNormalizationArgs& args,
                               std::source_location created = std::source_location::current());

}  // namespace stoker::layers
