#pragma once
#include "nn/functional.h"
#include "nn/layer_list.h"
#include "stoker/model.h"

namespace stoker::nn {

// A stack of layers with unknown input shape: layers are built at the first call.
class StackNetwork : public Layer {
 public:
  StackNetwork(std::vector<LayerRef> layers, std::string name, std::source_location created);
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override;
  std::vector<Sublayer> named_sublayers() const override {
    return listed_sublayers("layers", layers_);
  }
  Config get_config() const override;
  // Of each layer in the latest call; empty before the first.
  const std::vector<Shape>& output_shapes() const { return output_shapes_; }

 private:
  std::vector<LayerRef> layers_;
  std::vector<Shape> output_shapes_;
};

// With a known input the stack becomes a functional network, so that shapes are checked
// immediately.
std::shared_ptr<Layer> make_sequential(const std::vector<Sequential::Item>& items,
                                       const std::string& name, std::source_location created);

}  // namespace stoker::nn
