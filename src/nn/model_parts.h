#pragma once
#include "stoker/model.h"

namespace stoker::nn {

// The placeholder network of a model that consists of several networks: owns them, and is not
// called itself.
class ModelParts : public Layer {
 public:
  ModelParts(const std::vector<Model::Part>& parts, const std::string& name);
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override;
  std::vector<Sublayer> named_sublayers() const override;

 private:
  std::vector<Model::Part> parts_;
};

}  // namespace stoker::nn
