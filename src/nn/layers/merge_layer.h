#pragma once
#include "nn/layers/args_layer.h"

namespace stoker::nn {

// What layers of several inputs share.
template <class Args>
class MergeLayer : public ArgsLayer<Args> {
 public:
  using ArgsLayer<Args>::ArgsLayer;

  void build_all(const std::vector<Shape>& inputs) override {
    if (inputs.empty()) this->fail("takes a list of inputs, got none.");
    for (const Shape& input : inputs)
      if (input.rank() == 0) this->fail("expects inputs (batch, …), got a scalar.");
  }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs&) override {
    for (const Tensor& input : inputs)
      if (input.shape()[0] != inputs[0].shape()[0])
        this->fail(
            fmt::format("cannot merge different batch sizes: inputs {}.", shapes_of(inputs)));
    return {merge(inputs)};
  }

 protected:
  virtual Tensor merge(const std::vector<Tensor>& inputs) const = 0;

  static std::string shapes_of(const std::vector<Tensor>& inputs) {
    std::string text;
    for (const Tensor& input : inputs)
      text += (text.empty() ? "" : ", ") + to_string(input.shape());
    return text;
  }
};

}  // namespace stoker::nn
