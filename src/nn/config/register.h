#pragma once
#include "nn/config/registry.h"

namespace stoker::nn {

// Registers a class under its Keras name and aliases: `const Register<HuberArgs, LossRef>
// registered{"Huber", Huber};`
template <class Args, class Product>
struct Register {
  Register(const std::string& class_name, Product (*make)(const Args&),
           const std::vector<std::string>& aliases = {},
           std::source_location place = std::source_location::current()) {
    const auto from_config = [class_name, make](const Config& config) {
      return make(read_args<Args>(config, class_name));
    };
    Registrar<Product>(class_name, from_config, aliases, place);
  }
};

}  // namespace stoker::nn
