#pragma once
#include "stoker/activation.h"
#include "stoker/layer.h"

namespace stoker::layers {

struct ActivationArgs {
  stoker::Activation activation = {};
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
LayerRef Activation(const ActivationArgs& args,
                    std::source_location created = std::source_location::current());

}  // namespace stoker::layers
