#include <map>
#include <set>
#include <string>

#include "graph/passes/match.h"

// Merges equal nodes (common subexpressions), removes nodes without effect, and drops what nothing
// reads.
namespace stoker::graph {
namespace {

bool is_scalar(const Graph& graph, ValueId v, double wanted) {
  const Value& value = graph.value(v);
  if (value.origin != Origin::constant) return false;
  const Array& array = graph.constants[static_cast<size_t>(value.index)];
  return array.size() == 1 && array.at(0) == wanted;
}

bool keeps_elements(const std::string& op) {
  static const std::set<std::string> ops{"stop_gradient", "reshape",    "broadcast_to", "cast",
                                         "reduce_sum",    "reduce_max", "reduce_min"};
  return ops.contains(op);
}

}  // namespace

// x + 0, x * 1, x / 1, x - 0 and a broadcast, reshape or reduction to the same shape are x.
ValueId same_as(const Graph& graph, const Node& node) {
  const auto unchanged = [&](ValueId v) {
    return graph.type(v) == graph.type(node.outputs[0]) ? v : no_value;
  };
  const std::string& op = node.op->name;
  if (keeps_elements(op)) return unchanged(node.inputs[0]);
  if (node.inputs.size() != 2) return no_value;
  const ValueId a = node.inputs[0], b = node.inputs[1];
  if ((op == "add" || op == "subtract") && is_scalar(graph, b, 0)) return unchanged(a);
  if ((op == "multiply" || op == "divide") && is_scalar(graph, b, 1)) return unchanged(a);
  if (op == "add" && is_scalar(graph, a, 0)) return unchanged(b);
  if (op == "multiply" && is_scalar(graph, a, 1)) return unchanged(b);
  return no_value;
}

namespace {

std::string constant_key(const Array& array) {
  return to_string(array.type()) +
         std::string(reinterpret_cast<const char*>(array.raw()), array.bytes());
}

std::string node_key(const Node& node, const std::vector<ValueId>& inputs) {
  std::string key = node.op->name + "(";
  for (ValueId v : inputs) key += std::to_string(v) + ",";
  return key + ")" + node.attrs.to_string();
}

// sum(max_pool2d_grad(g)) over all axes but the channels is sum(g): each gradient goes to exactly
// one position.
ValueId sum_source(const Graph& graph, const Node& node) {
  if (node.op->name != "reduce_sum" || node.attrs.integers("axis") != std::vector<int64_t>{0, 1, 2})
    return no_value;
  const Node* producer = graph.producer(node.inputs[0]);
  return producer && producer->op->name == "max_pool2d_grad" ? producer->inputs[0] : no_value;
}

// The state whose memory this value is a view of.
const StateUse* state_behind(const Graph& graph, ValueId v) {
  while (graph.producer(v) && graph.producer(v)->op->view) v = graph.producer(v)->inputs[0];
  const Value& root = graph.value(v);
  return root.origin == Origin::state ? &graph.states[static_cast<size_t>(root.index)] : nullptr;
}

// A state that is assigned another state's value gets a copy: the other may be overwritten first.
// So does an output that is a state's old value.
void stage_state_values(Graph& graph) {
  const auto copy = [&](ValueId v) { return graph.add_node(find_op("copy"), {v}, {})[0]; };
  for (auto& use : graph.states)
    if (use.update != no_value && state_behind(graph, use.update)) use.update = copy(use.update);
  for (ValueId& output : graph.outputs)
    if (const StateUse* use = state_behind(graph, output); use && use->update != no_value)
      output = copy(output);
}

Graph simplify(const Graph& graph, const Accepts&) {
  Rewriter rewriter(graph);
  std::map<std::string, ValueId> constants;
  for (size_t v = 0; v < graph.values.size(); ++v) {
    if (graph.values[v].origin != Origin::constant) continue;
    const Array& array = graph.constants[static_cast<size_t>(graph.values[v].index)];
    if (array.bytes() > 1024) continue;
    const auto id = static_cast<ValueId>(v);
    rewriter.set(id, constants.try_emplace(constant_key(array), rewriter.map(id)).first->second);
  }
  std::map<std::string, std::vector<ValueId>> seen;
  for (const Node& node : graph.nodes) {
    if (const ValueId same = same_as(graph, node); same != no_value) {
      rewriter.set(node.outputs[0], rewriter.map(same));
      continue;
    }
    if (const ValueId source = sum_source(graph, node); source != no_value) {
      rewriter.replace(node.outputs, *node.op, {rewriter.map(source)}, node.attrs, node.scope);
      continue;
    }
    auto [place, fresh] =
        seen.try_emplace(node.op->stateful ? "" : node_key(node, rewriter.map(node.inputs)));
    if (fresh || node.op->stateful) {
      rewriter.keep(node);
      place->second = rewriter.map(node.outputs);
    } else {
      for (size_t i = 0; i < node.outputs.size(); ++i)
        rewriter.set(node.outputs[i], place->second[i]);
    }
  }
  Graph result = rewriter.finish();
  stage_state_values(result);
  return result;
}

const RegisterPass registered{{"simplify", simplify}};

}  // namespace
}  // namespace stoker::graph
