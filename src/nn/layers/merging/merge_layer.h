#pragma once
#include "nn/layers/args_layer.h"
#include "stoker/ops/elementwise.h"

namespace stoker::nn {

// The common part of layers with several inputs.
template <class Args>
class MergeLayer : public ArgsLayer<Args> {
 public:
  MergeLayer(const char* class_name, const Args& args, std::source_location created)
      : ArgsLayer<Args>(class_name, args, created) {
    this->supports_masking = true;
  }

  void build_all(const std::vector<Shape>& inputs) override {
    if (inputs.empty()) this->fail("takes a list of inputs, got none.");
    for (const Shape& input : inputs)
      if (input.rank() == 0) this->fail("expects inputs (batch, …), got a scalar.");
  }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override {
    for (const Tensor& input : inputs)
      if (input.shape()[0] != inputs[0].shape()[0])
        this->fail(
            fmt::format("cannot merge different batch sizes: inputs {}.", shapes_of(inputs)));
    return {merge(inputs, args.masks)};
  }

  // A time step is unmasked if it is unmasked in any input; an input without a mask unmasks all.
  std::vector<Tensor> compute_mask(const std::vector<Tensor>&,
                                   const std::vector<Tensor>& masks) override {
    Tensor any = masks.empty() ? Tensor() : masks[0];
    for (const Tensor& mask : masks) {
      if (!mask.defined()) return {};
      if (mask.id() != any.id()) any = ops::logical_or(any, mask);
    }
    return {any};
  }

 protected:
  // masks: one for each input, undefined if it has none.
  virtual Tensor merge(const std::vector<Tensor>& inputs,
                       const std::vector<Tensor>& masks) const = 0;

  static std::string shapes_of(const std::vector<Tensor>& inputs) {
    std::string text;
    for (const Tensor& input : inputs)
      text += (text.empty() ? "" : ", ") + to_string(input.shape());
    return text;
  }
};

}  // namespace stoker::nn
