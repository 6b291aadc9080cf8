#pragma once
#include <optional>

#include "stoker/layer.h"

namespace stoker::layers {

struct DropoutArgs {
  double rate = 0;
  std::optional<Shape> noise_shape = {};  // 1 where neighbours are dropped together
  std::optional<int64_t> seed = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// In training sets a share of the inputs to 0 and scales up the others. Which ones depends on the
// seed and the number of calls so far alone.
LayerRef Dropout(const DropoutArgs& args,
                 std::source_location created = std::source_location::current());

}  // namespace stoker::layers
