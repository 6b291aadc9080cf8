#pragma once
#include "nn/config/registry.h"

namespace stoker::nn {

// Makes a thing reachable by its Keras class name and aliases: `const Register<HuberArgs, LossRef>
// registered{"Huber", Huber};`
template <class Args, class Product>
struct Register {
  Register(const std::string& class_name, Product (*make)(const Args&),
           const std::vector<std::string>& aliases = {}) {
    const auto from_config = [class_name, make](const Config& config) {
      return make(read_args<Args>(config, class_name));
    };
    Registrar<Product>(class_name, from_config, aliases);
  }
};

}  // namespace stoker::nn
