#pragma once
#include <unordered_map>

#include "graph/emit.h"

namespace stoker::graph {

class Trace;

struct SymbolicTensor : TensorImpl {
  Trace* trace;
  ValueId value;
  SymbolicTensor(TensorType t, Trace* owner, ValueId v)
      : TensorImpl(std::move(t)), trace(owner), value(v) {}
  Array array() const override;  // throws: there is no value yet
};

// Builds a graph out of the ops that run while it is the current emitter.
class Trace : public Emitter {
 public:
  Tensor input(const TensorType& type);
  void output(const Tensor& tensor) { graph_.outputs.push_back(import(tensor)); }
  Graph take() { return std::move(graph_); }
  Graph& graph() { return graph_; }

  std::vector<Tensor> emit(const Op& op, const std::vector<Tensor>& inputs,
                           const Attrs& attrs) override;
  Tensor constant(const Array& array) override;
  Tensor read(const std::shared_ptr<State>& state) override;
  void assign(const std::shared_ptr<State>& state, const Tensor& value) override;

 private:
  friend Tensor input_of(const Tensor& tensor, size_t index);
  friend Tensor value_before(const std::shared_ptr<State>& state);
  ValueId import(const Tensor& tensor);  // a tensor from outside becomes a constant
  Tensor wrap(ValueId value);

  Graph graph_;
  std::vector<std::vector<Tensor>> node_inputs_;       // as given: tapes compare identities
  std::unordered_map<const State*, ValueId> current_;  // what reading a state gives at this point
  std::unordered_map<const TensorImpl*, std::pair<Tensor, ValueId>> imported_;
};

// The node that produced this tensor, if traced: lets a loss find out that its input is a softmax.
const Node* producer_of(const Tensor& tensor);
Tensor input_of(const Tensor& tensor, size_t index);       // of the producing node, as a tensor
Tensor value_before(const std::shared_ptr<State>& state);  // its value at the beginning of the step
bool same_value(const Tensor& a, const Tensor& b);  // of a trace: the same value of its graph

}  // namespace stoker::graph
