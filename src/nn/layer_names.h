#pragma once
#include <map>
#include <string>

#include "stoker/layer.h"

namespace stoker::nn {

// The layers of one network by name. Keras refuses a second one of the same name, in the network as
// in its files.
class LayerNames {
 public:
  explicit LayerNames(std::string network) : network_(std::move(network)) {}
  // None: it is an Input. A layer that is there already may come again.
  void add(const std::string& name, const Layer* layer);

 private:
  std::string network_;
  std::map<std::string, const Layer*> layers_;
};

}  // namespace stoker::nn
