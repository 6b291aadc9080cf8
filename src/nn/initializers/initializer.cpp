#include "stoker/initializer.h"

#include "nn/config/registry.h"

namespace stoker {

Initializer::Initializer(const char* name) : Initializer(Config(name)) {}
Initializer::Initializer(const std::string& name) : Initializer(Config(name)) {}
Initializer::Initializer(const Config& config)
    : Initializer(nn::Registry<Initializer>::instance().make(config, "initializer")) {}

Config Initializer::to_config() const {
  return impl_ ? nn::keras_object("keras.initializers", impl_->class_name(), impl_->get_config())
               : Config();
}

}  // namespace stoker
