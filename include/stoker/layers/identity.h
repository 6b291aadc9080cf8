#pragma once
#include "stoker/layer.h"

namespace stoker::layers {

struct IdentityArgs {
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef Identity(const IdentityArgs& args = {},
                  std::source_location created = std::source_location::current());

struct ActivityRegularizationArgs {
  double l1 = 0, l2 = 0;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// The identity; adds a penalty on its input to the loss.
LayerRef ActivityRegularization(const ActivityRegularizationArgs& args = {},
                                std::source_location created = std::source_location::current());

}  // namespace stoker::layers
