#include "graph/trace.h"

#include "graph/tape.h"
#include "stoker/error.h"

namespace stoker::graph {

Array SymbolicTensor::array() const {
  throw InvalidArgument("this tensor has no value yet: it is part of a step that is being traced.",
                        "return it from the function and read it after the call.");
}

Tensor Trace::wrap(ValueId value) {
  return Tensor(std::make_shared<SymbolicTensor>(graph_.type(value), this, value));
}

Tensor Trace::input(const TensorType& type) { return wrap(graph_.add_input(type)); }

ValueId Trace::import(const Tensor& tensor) {
  if (!tensor.defined()) throw InvalidArgument("an undefined tensor was used.");
  if (auto* symbolic = dynamic_cast<const SymbolicTensor*>(&tensor.impl());
      symbolic && symbolic->trace == this)
    return symbolic->value;
  auto [place, fresh] = imported_.try_emplace(tensor.id(), tensor, no_value);
  if (fresh) place->second.second = graph_.add_constant(tensor.array());
  return place->second.second;
}

std::vector<Tensor> Trace::emit(const Op& op, const std::vector<Tensor>& inputs,
                                const Attrs& attrs) {
  std::vector<ValueId> in;
  for (const Tensor& tensor : inputs) in.push_back(import(tensor));
  std::vector<Tensor> out;
  for (ValueId v : graph_.add_node(op, std::move(in), attrs, PathScope::current()))
    out.push_back(wrap(v));
  node_inputs_.push_back(inputs);
  return out;
}

Tensor Trace::constant(const Array& array) { return wrap(graph_.add_constant(array.clone())); }

Tensor Trace::read(const std::shared_ptr<State>& state) {
  // A new tensor for each read, as in eager mode: a tape sees the reads in its scope only.
  const auto assigned = current_.find(state.get());
  const Tensor now =
      wrap(assigned == current_.end() ? graph_.state_value(state) : assigned->second);
  Tape::record_read(*state, now);
  return now;
}

void Trace::assign(const std::shared_ptr<State>& state, const Tensor& value) {
  if (value.type() != state->type)
    throw InvalidArgument("variable \"" + state->name + "\" of type " + to_string(state->type) +
                          " cannot take a value of type " + to_string(value.type()) + ".");
  const ValueId update = import(value);
  graph_.use_of(state).update = update;
  current_[state.get()] = update;
}

const Node* producer_of(const Tensor& tensor) {
  auto* symbolic = tensor.defined() ? dynamic_cast<const SymbolicTensor*>(&tensor.impl()) : nullptr;
  return symbolic ? symbolic->trace->graph().producer(symbolic->value) : nullptr;
}

Tensor value_before(const std::shared_ptr<State>& state) {
  auto* const trace = dynamic_cast<Trace*>(&current_emitter());
  if (!trace) throw Internal("a state's value before the step was requested outside a step.");
  return trace->wrap(trace->graph_.state_value(state));
}

bool same_value(const Tensor& a, const Tensor& b) {
  const auto *x = dynamic_cast<const SymbolicTensor*>(a.id()),
             *y = dynamic_cast<const SymbolicTensor*>(b.id());
  return a.id() == b.id() || (x && y && x->trace == y->trace && x->value == y->value);
}

Tensor input_of(const Tensor& tensor, size_t index) {
  const Node* node = producer_of(tensor);
  if (!node || index >= node->inputs.size()) return {};
  const auto& symbolic = dynamic_cast<const SymbolicTensor&>(tensor.impl());
  const auto at = static_cast<size_t>(symbolic.trace->graph().value(symbolic.value).index);
  return symbolic.trace->node_inputs_[at][index];
}

}  // namespace stoker::graph
