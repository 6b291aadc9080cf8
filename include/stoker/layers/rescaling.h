#pragma once
#include <initializer_list>
#include <vector>

#include "stoker/layer.h"

namespace stoker::layers {

// One number, or one per channel.
struct PerChannel {
  std::vector<double> values;
  PerChannel(double value) : values{value} {}                        // NOLINT
  PerChannel(std::initializer_list<double> list) : values(list) {}   // NOLINT
  PerChannel(std::vector<double> list) : values(std::move(list)) {}  // NOLINT
};

struct RescalingArgs {
  PerChannel scale = 1.0, offset = 0.0;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// x * scale + offset in the compute dtype, for any input dtype.
LayerRef Rescaling(const RescalingArgs& args,
                   std::source_location created = std::source_location::current());

}  // namespace stoker::layers
