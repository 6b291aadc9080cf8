#pragma once
#include <functional>
#include <string>
#include <vector>

#include "stoker/config.h"
#include "stoker/tensor.h"

namespace stoker {

// An activation by its Keras name, or your own function. The default is linear.
class Activation {
 public:
  using Function = std::function<Tensor(const Tensor&)>;
  Activation() = default;
  Activation(const char* name)
      : Activation(std::string(name)) {}                       // NOLINT: "relu" is an activation
  Activation(std::string name);                                // NOLINT; throws InvalidArgument
  Activation(Function function, std::string name = "custom");  // NOLINT
  // A name, or a layer without weights such as {class_name: "LeakyReLU", config}.
  explicit Activation(const Config& config);

  Tensor operator()(const Tensor& x) const { return function_ ? function_(x) : x; }
  const std::string& name() const { return name_; }
  Config to_config() const { return config_.is_null() ? Config(name_) : config_; }

 private:
  std::string name_ = "linear";
  Config config_;  // if the name is not enough
  Function function_;
};

std::vector<std::string> activation_names();

}  // namespace stoker
