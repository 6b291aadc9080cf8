#include "nn/model_parts.h"

#include <fmt/format.h>

namespace stoker::nn {

ModelParts::ModelParts(const std::vector<Model::Part>& parts, const std::string& name)
    : Layer("Model", name), parts_(parts) {
  if (parts.empty()) throw InvalidArgument("a model of several networks was given none.");
}

std::vector<Tensor> ModelParts::call_all(const std::vector<Tensor>&, const CallArgs&) {
  throw InvalidArgument(
      fmt::format("model \"{}\" has {} networks and no call.", name(), parts_.size()),
      "override Model::call, or call one of the networks.");
}

std::vector<Layer::Sublayer> ModelParts::named_sublayers() const {
  std::vector<Sublayer> layers;
  for (const auto& part : parts_) layers.push_back({part.name, part.network});
  return layers;
}

}  // namespace stoker::nn
