#include "graph/passes/fusion/expected_step.h"

#include <algorithm>

#include "graph/passes/match.h"
#include "graph/values.h"
#include "stoker/error.h"

namespace stoker::graph {
namespace {

std::string text_of(std::string_view op, const std::vector<ValueId>& inputs, const Attrs& attrs) {
  std::string text(op);
  for (ValueId v : inputs) text += "," + std::to_string(v);
  return text + attrs.to_string();
}

}  // namespace

ExpectedStep::ExpectedStep(const Graph& graph)
    : graph_(graph),
      nodes_(graph.nodes.size()),
      readers_(readers_of_values(graph)),
      taken_(graph.nodes.size(), false) {
  for (size_t n = 0; n < nodes_; ++n) {
    const Node& node = graph.nodes[n];
    by_text_.emplace(text_of(node.op->name, node.inputs, node.attrs), n);
  }
}

ValueId ExpectedStep::scalar(double value) {
  return constant(Array::scalar(static_cast<float>(value)));
}
ValueId ExpectedStep::scalar(int64_t value) { return constant(Array::scalar(value)); }

ValueId ExpectedStep::constant(const Array& array) {
  for (size_t v = 0; v < graph_.values.size(); ++v) {
    if (graph_.values[v].origin != Origin::constant) continue;
    const Array& known = graph_.constants[static_cast<size_t>(graph_.values[v].index)];
    if (known.type() == array.type() && known.at(0) == array.at(0)) return static_cast<ValueId>(v);
  }
  return graph_.add_constant(array);
}

bool ExpectedStep::is_scalar(ValueId v, double* value) const {
  if (v == no_value || graph_.value(v).origin != Origin::constant) return false;
  const Array& array = graph_.constants[static_cast<size_t>(graph_.value(v).index)];
  if (array.size() != 1) return false;
  *value = array.at(0);
  return true;
}

ValueId ExpectedStep::emit(std::string_view op, const std::vector<ValueId>& inputs, Attrs attrs) {
  if (std::ranges::find(inputs, no_value) != inputs.end()) return no_value;
  const auto found = by_text_.find(text_of(op, inputs, attrs));
  if (found != by_text_.end()) {
    taken_[found->second] = true;
    return graph_.nodes[found->second].outputs[0];
  }
  return simplified(op, inputs, std::move(attrs));
}

// A node without effect is no longer in the graph: its input replaces it.
ValueId ExpectedStep::simplified(std::string_view op, const std::vector<ValueId>& inputs,
                                 Attrs attrs) const {
  Graph trial;
  std::vector<ValueId> stand_ins;
  for (ValueId v : inputs) {
    const Value& value = graph_.value(v);
    stand_ins.push_back(value.origin == Origin::constant
                            ? trial.add_constant(graph_.constants[static_cast<size_t>(value.index)])
                            : trial.add_input(value.type));
  }
  try {
    trial.add_node(find_op(op), stand_ins, std::move(attrs));
  } catch (const InvalidArgument&) {
    return no_value;
  }
  const ValueId same = same_as(trial, trial.nodes[0]);
  const auto at = std::ranges::find(stand_ins, same);
  return same == no_value ? no_value : inputs[static_cast<size_t>(at - stand_ins.begin())];
}

const Node* ExpectedStep::take(const Node* node) {
  if (node) taken_[static_cast<size_t>(node - graph_.nodes.data())] = true;
  return node;
}

const Node* ExpectedStep::producer(ValueId v, std::string_view op) const {
  const Node* node = v == no_value ? nullptr : graph_.producer(v);
  return node && node->op->name == op ? node : nullptr;
}

std::vector<const Node*> ExpectedStep::readers(ValueId v, std::string_view op) const {
  std::vector<const Node*> found;
  if (v == no_value || index_of(v) >= readers_.size()) return found;
  for (const int32_t n : readers_[index_of(v)])
    if (const Node& node = graph_.nodes[index_of(n)]; node.op->name == op)
      if (found.empty() || found.back() != &node) found.push_back(&node);
  return found;
}

bool ExpectedStep::is_state(ValueId v) const {
  return v != no_value && graph_.value(v).origin == Origin::state;
}

ValueId ExpectedStep::update_of(ValueId state) const {
  for (const StateUse& use : graph_.states)
    if (use.value == state) return use.update;
  return no_value;
}

bool ExpectedStep::explains_all() const { return std::ranges::find(taken_, false) == taken_.end(); }

}  // namespace stoker::graph
