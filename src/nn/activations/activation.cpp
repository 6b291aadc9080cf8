#include "stoker/activation.h"

#include <fmt/format.h>

#include <map>

#include "nn/saving/network_config.h"
#include "stoker/activations.h"
#include "stoker/error.h"
#include "stoker/suggest.h"

namespace stoker {
namespace {

using Table = std::map<std::string, Activation::Function>;

const Table& table() {
  using namespace activations;
  static const Table functions{
      {"relu", [](const Tensor& x) { return relu(x); }},
      {"relu6", relu6},
      {"leaky_relu", [](const Tensor& x) { return leaky_relu(x); }},
      {"elu", [](const Tensor& x) { return elu(x); }},
      {"selu", selu},
      {"celu", [](const Tensor& x) { return celu(x); }},
      {"gelu", [](const Tensor& x) { return gelu(x); }},
      {"glu", [](const Tensor& x) { return glu(x); }},
      {"silu", silu},
      {"mish", mish},
      {"softplus", softplus},
      {"softsign", softsign},
      {"squareplus", [](const Tensor& x) { return squareplus(x); }},
      {"sparse_plus", sparse_plus},
      {"sigmoid", sigmoid},
      {"log_sigmoid", log_sigmoid},
      {"hard_sigmoid", hard_sigmoid},
      {"sparse_sigmoid", sparse_sigmoid},
      {"hard_silu", hard_silu},
      {"tanh", tanh},
      {"hard_tanh", hard_tanh},
      {"tanh_shrink", tanh_shrink},
      {"hard_shrink", [](const Tensor& x) { return hard_shrink(x); }},
      {"soft_shrink", [](const Tensor& x) { return soft_shrink(x); }},
      {"exponential", exponential},
      {"linear", linear},
      {"softmax", [](const Tensor& x) { return softmax(x); }},
      {"log_softmax", [](const Tensor& x) { return log_softmax(x); }},
      {"sparsemax", [](const Tensor& x) { return sparsemax(x); }},
  };
  return functions;
}

// Keras's aliases of the same functions; configs use the first name.
const std::map<std::string, std::string>& aliases() {
  static const std::map<std::string, std::string> names{{"swish", "silu"},
                                                        {"hard_swish", "hard_silu"}};
  return names;
}

}  // namespace

Activation::Activation(std::string name) : name_(std::move(name)) {
  if (auto alias = aliases().find(name_); alias != aliases().end()) name_ = alias->second;
  auto found = table().find(name_);
  if (found == table().end())
    throw InvalidArgument(fmt::format("unknown activation \"{}\".", name_),
                          did_you_mean(name_, activation_names()));
  function_ = found->second;
}

namespace {

// Keras 3.0 wrote a function as {class_name: "function", config: its name}.
std::string name_in(const Config& config) {
  if (config.is_string()) return config.as_string();
  const Config* class_name = config.find("class_name");
  const Config* name = config.find("config");
  const bool is_function =
      class_name && class_name->is_string() && class_name->as_string() == "function";
  return is_function && name && name->is_string() ? name->as_string() : "";
}

}  // namespace

Activation::Activation(const Config& config) {
  if (const std::string name = name_in(config); !name.empty()) {
    *this = Activation(name);
    return;
  }
  const LayerRef layer = nn::deserialize_layer(config);
  name_ = layer->name();
  config_ = nn::serialize_layer(*layer);
  function_ = [layer](const Tensor& x) {
    const Tensor y = layer(x);
    if (!layer->weights().empty())
      throw Unsupported(
          fmt::format("a layer with weights ({}) cannot be an activation.", layer->class_name()),
          "put it after the layer, as a layer of the model.");
    return y;
  };
}

Activation::Activation(Function function, std::string name)
    : name_(std::move(name)), function_(std::move(function)) {}

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (const auto& [name, function] : table()) names.push_back(name);
  for (const auto& [alias, name] : aliases()) names.push_back(alias);
  return names;
}

}  // namespace stoker
