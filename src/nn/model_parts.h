#pragma once
#include "stoker/model.h"

namespace stoker::nn {

// Stands for the network of a model that has several: it owns them, and is not called itself.
class ModelParts : public Layer {
 public:
  ModelParts(const std::vector<Model::Part>& parts, const std::string& name);
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override;
  std::vector<Sublayer> named_sublayers() const override;

 private:
  std::vector<Model::Part> parts_;
};

}  // namespace stoker::nn
