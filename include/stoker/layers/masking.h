#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct MaskingArgs {
  double mask_value = 0;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// Steps that hold nothing but mask_value do not count in the layers that follow.
LayerRef Masking(const MaskingArgs& args = {},
                 std::source_location created = std::source_location::current());

}  // namespace stoker::layers
