#pragma once
#include <optional>

#include "stoker/layer.h"

namespace stoker::layers {

struct DropoutArgs {
  double rate = 0;
  std::optional<Shape> noise_shape = {};  // 1 along axes that share the mask
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// In training sets a fraction of the inputs to 0 and scales the others up. The mask depends only on
// the seed and the number of calls so far.
LayerRef Dropout(const DropoutArgs& args,
                 std::source_location created = std::source_location::current());

}  // namespace stoker::layers
