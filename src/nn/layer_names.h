#pragma once
#include <map>
#include <string>

#include "stoker/layer.h"

namespace stoker::nn {

// The layers of one network by name. As in Keras, two layers must not have the same name.
class LayerNames {
 public:
  explicit LayerNames(std::string network) : network_(std::move(network)) {}
  // Null: an Input. The same layer may be added again.
  void add(const std::string& name, const Layer* layer);

 private:
  std::string network_;
  std::map<std::string, const Layer*> layers_;
};

}  // namespace stoker::nn
