#include "graph/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stoker/error.h"

namespace stoker::graph {

ValueId Graph::add_value(TensorType type, Origin origin, int32_t index, int32_t output) {
  values.push_back({std::move(type), origin, index, output});
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::add_input(TensorType type) {
  inputs.push_back(add_value(std::move(type), Origin::input, static_cast<int32_t>(inputs.size())));
  return inputs.back();
}

ValueId Graph::add_constant(const Array& array) {
  constants.push_back(array);
  return add_value(array.type(), Origin::constant, static_cast<int32_t>(constants.size() - 1));
}

StateUse& Graph::use_of(const std::shared_ptr<State>& state) {
  for (auto& use : states)
    if (use.state == state) return use;
  const ValueId v = add_value(state->type, Origin::state, static_cast<int32_t>(states.size()));
  return states.emplace_back(StateUse{state, v, no_value});
}

ValueId Graph::state_value(const std::shared_ptr<State>& state) { return use_of(state).value; }

std::vector<TensorType> infer_types(const Op& op, std::span<const TensorType> in,
                                    const Attrs& attrs) {
  try {
    return op.infer(in, attrs);
  } catch (InvalidArgument& error) {
    std::string given;
    for (const auto& type : in) given += (given.empty() ? "" : ", ") + to_string(type);
    throw InvalidArgument(
        fmt::format("[{}] {} Its inputs are {}.", op.name, error.message(), given), error.hint());
  }
}

std::vector<ValueId> Graph::add_node(const Op& op, std::vector<ValueId> in, Attrs attrs,
                                     std::string scope) {
  const auto out_types = infer_types(op, types(in), attrs);
  std::vector<ValueId> out;
  for (const auto& t : out_types)
    out.push_back(add_value(t, Origin::node, static_cast<int32_t>(nodes.size()),
                            static_cast<int32_t>(out.size())));
  nodes.push_back({&op, std::move(in), out, std::move(attrs), std::move(scope)});
  return out;
}

const Node* Graph::producer(ValueId v) const {
  const Value& found = value(v);
  return found.origin == Origin::node ? &nodes[static_cast<size_t>(found.index)] : nullptr;
}

std::vector<TensorType> Graph::types(const std::vector<ValueId>& ids) const {
  std::vector<TensorType> found;
  for (ValueId v : ids) found.push_back(type(v));
  return found;
}

Cost Graph::cost(const Node& node) const {
  return cost_of(*node.op, types(node.inputs), types(node.outputs), node.attrs);
}

void Graph::verify() const {
  std::vector<bool> ready(values.size(), false);
  for (size_t v = 0; v < values.size(); ++v) ready[v] = values[v].origin != Origin::node;
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (ValueId in : nodes[n].inputs)
      if (in < 0 || static_cast<size_t>(in) >= values.size() || !ready[static_cast<size_t>(in)])
        throw Internal(
            fmt::format("node {} ({}) reads %{} before it exists.", n, nodes[n].op->name, in));
    for (ValueId out : nodes[n].outputs) {
      if (value(out).index != static_cast<int32_t>(n))
        throw Internal(fmt::format("%{} does not point back to node {}.", out, n));
      ready[static_cast<size_t>(out)] = true;
    }
  }
  for (ValueId out : outputs)
    if (!ready[static_cast<size_t>(out)])
      throw Internal(fmt::format("output %{} is never computed.", out));
  for (const auto& use : states)
    if (use.update != no_value && type(use.update) != use.state->type)
      throw Internal(fmt::format("state \"{}\" of type {} is updated with {}.", use.state->name,
                                 stoker::to_string(use.state->type),
                                 stoker::to_string(type(use.update))));
}

std::string Graph::to_string() const {
  std::string text;
  for (ValueId v : inputs) text += fmt::format("  %{} = input {}\n", v, stoker::to_string(type(v)));
  for (const auto& use : states)
    text += fmt::format("  %{} = state \"{}\" {}\n", use.value, use.state->name,
                        stoker::to_string(use.state->type));
  for (size_t v = 0; v < values.size(); ++v)
    if (values[v].origin == Origin::constant) {
      const Array& array = constants[static_cast<size_t>(values[v].index)];
      text += fmt::format("  %{} = constant {}{}\n", v, stoker::to_string(values[v].type),
                          array.size() == 1 ? fmt::format(" {}", array.at(0)) : "");
    }
  for (const Node& node : nodes) {
    std::vector<std::string> out;
    for (ValueId v : node.outputs)
      out.push_back(fmt::format("%{}:{}", v, stoker::to_string(type(v))));
    text += fmt::format("  {} = {}(%{}) {{{}}}{}\n", fmt::join(out, ", "), node.op->name,
                        fmt::join(node.inputs, ", %"), node.attrs.to_string(),
                        node.scope.empty() ? "" : "  # " + node.scope);
  }
  for (const auto& use : states)
    if (use.update != no_value)
      text += fmt::format("  \"{}\" <- %{}\n", use.state->name, use.update);
  return text + fmt::format("  return %{}\n", fmt::join(outputs, ", %"));
}

}  // namespace stoker::graph
