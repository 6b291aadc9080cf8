#pragma once
#include <optional>

#include "graph/emit.h"
#include "stoker/layer.h"

namespace stoker::nn {

// A call's arguments in Keras's serialized form; tensors are written as {class_name:
// "__keras_tensor__", config: index}.
struct CallArguments {
  Config args = Config::List(), kwargs = Config::map();
  std::vector<Tensor> tensors;  // in Keras's order
};

// One call of a layer in a functional model.
struct CallNode {
  LayerRef layer;  // undefined for an Input
  std::string name;
  std::vector<Tensor> inputs;
  CallArgs args;
  size_t order = 0;                        // among all calls of the process
  std::optional<CallArguments> form = {};  // if the call was read from a file
  std::string file_dtype = {};  // of an Input whose dtype in the file is stored in a wider one
};

// A symbolic tensor of a functional model (Keras's KerasTensor): it has a type with unknown batch
// size and a history, but no value.
struct SpecTensor : graph::TensorImpl {
  std::shared_ptr<CallNode> node;
  size_t index;
  bool is_mask;          // the mask of the output with this index
  bool strings = false;  // it holds the ids of strings
  SpecTensor(TensorType t, std::shared_ptr<CallNode> n, size_t i, bool m = false)
      : TensorImpl(std::move(t)), node(std::move(n)), index(i), is_mask(m) {}
  Array array() const override;
};

const SpecTensor* as_spec(const Tensor& tensor);  // nullptr if it is not symbolic
std::string keras_dtype(const Tensor& spec);      // "string" for an Input of strings, "uint16" …
std::vector<Tensor> describe_call(const LayerRef& layer, const std::vector<Tensor>& inputs,
                                  const CallArgs& args);
// Is a layer being called only to infer its output types? Then values that a file provides later
// may be missing.
bool is_trial();
// The symbolic tensors that a call depends on, in Keras's order.
std::vector<Tensor> spec_inputs(const CallNode& node);

// A functional model: a directed graph of layer calls on Input()s.
class FunctionalNetwork : public Layer {
 public:
  using Calls = std::vector<std::shared_ptr<CallNode>>;
  FunctionalNetwork(std::string class_name, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
                    std::string name, std::source_location created);
  void build_all(const std::vector<Shape>& inputs) override;
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override;
  std::vector<Sublayer> named_sublayers() const override;
  Config get_config() const override;

  const std::vector<Tensor>& inputs() const { return inputs_; }
  const std::vector<Tensor>& outputs() const { return outputs_; }
  const Calls& calls() const { return calls_; }
  // The calls of each layer, or an Input alone, in the order of Keras's model.operations.
  const std::vector<Calls>& operations() const { return operations_; }

  // Inputs and outputs as in Python: a tensor's index, or lists and dicts of indices.
  struct Structure {
    Config inputs, outputs;
  };
  const Structure& structure() const { return structure_; }
  void set_structure(Structure structure) { structure_ = std::move(structure); }

 private:
  Tensor input_value(size_t index, const Tensor& given, const Tensor& mask) const;
  std::vector<Tensor> inputs_, outputs_;
  Calls calls_;  // in topological order, Inputs included
  std::vector<Calls> operations_;
  Structure structure_;
};

}  // namespace stoker::nn
