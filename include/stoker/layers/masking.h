#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct MaskingArgs {
  double mask_value = 0;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Masks time steps whose features all equal mask_value.
LayerRef Masking(const MaskingArgs& args = {},
                 std::source_location created = std::source_location::current());

}  // namespace stoker::layers
