#pragma once
#include "graph/emit.h"
#include "stoker/layer.h"

namespace stoker::nn {

// One call of a layer in a model's description.
struct CallNode {
  LayerRef layer;  // undefined for an Input
  std::string name;
  std::vector<Tensor> inputs;
  CallArgs args;
};

// A tensor of a model's description: it has a type whose batch is unknown, and a history, but no
// value.
struct SpecTensor : graph::TensorImpl {
  std::shared_ptr<CallNode> node;
  size_t index;
  SpecTensor(TensorType t, std::shared_ptr<CallNode> n, size_t i)
      : TensorImpl(std::move(t)), node(std::move(n)), index(i) {}
  Array array() const override;
};

const SpecTensor* as_spec(const Tensor& tensor);  // nullptr if it is none
std::vector<Tensor> describe_call(const LayerRef& layer, const std::vector<Tensor>& inputs,
                                  const CallArgs& args);

// A network described by calls on Input()s: a directed graph of layers.
class FunctionalNetwork : public Layer {
 public:
  FunctionalNetwork(std::string class_name, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
                    std::string name, std::source_location created);
  void build_all(const std::vector<Shape>& inputs) override;
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override;
  std::vector<LayerRef> sublayers() const override { return layers_; }

  const std::vector<Tensor>& inputs() const { return inputs_; }
  const std::vector<Tensor>& outputs() const { return outputs_; }
  const std::vector<std::shared_ptr<CallNode>>& calls() const { return calls_; }

 private:
  void visit(const std::shared_ptr<CallNode>& node, std::vector<const CallNode*>& open);
  std::vector<Tensor> inputs_, outputs_;
  std::vector<std::shared_ptr<CallNode>> calls_;  // in the order they run, Inputs included
  std::vector<LayerRef> layers_;                  // each once, in the order of first use
};

}  // namespace stoker::nn
