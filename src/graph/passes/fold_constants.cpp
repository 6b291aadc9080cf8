#include <optional>

#include "graph/rewrite.h"

// Constant folding: arithmetic on constant scalars, such as a loss's 1 / batch, is done at compile
// time.
namespace stoker::graph {
namespace {

const Array* constant_of(const Graph& graph, ValueId v) {
  const Value& value = graph.value(v);
  return value.origin == Origin::constant ? &graph.constants[static_cast<size_t>(value.index)]
                                          : nullptr;
}

std::optional<float> compute(const std::string& op, float a, float b) {
  if (op == "add") return a + b;
  if (op == "subtract") return a - b;
  if (op == "multiply") return a * b;
  if (op == "divide") return a / b;
  return std::nullopt;
}

// The node's value if it is a float32 scalar and depends on constants alone.
std::optional<Array> folded(const Graph& graph, const Node& node) {
  const TensorType& type = graph.type(node.outputs[0]);
  if (type.dtype != DType::float32 || type.shape.size() != 1) return std::nullopt;
  for (ValueId v : node.inputs) {
    const Array* array = constant_of(graph, v);
    if (!array || array->dtype() != DType::float32 || array->size() != 1) return std::nullopt;
  }
  const auto value = [&](size_t i) {
    return static_cast<float>(constant_of(graph, node.inputs[i])->at(0));
  };
  if (node.op->name == "reshape" || node.op->name == "broadcast_to")
    return Array::scalar(value(0)).reshape(type.shape);
  if (node.inputs.size() != 2) return std::nullopt;
  const auto result = compute(node.op->name, value(0), value(1));
  return result ? std::optional(Array::scalar(*result).reshape(type.shape)) : std::nullopt;
}

// Reads the new graph, so that users of a folded node fold, too.
Graph fold(const Graph& graph, const Accepts&) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes) {
    rewriter.keep(node);
    Graph& made = rewriter.graph();
    if (const auto value = folded(made, made.nodes.back()))
      rewriter.set(node.outputs[0], made.add_constant(*value));
  }
  return rewriter.finish();
}

const RegisterPass registered{{"fold_constants", fold}};

}  // namespace
}  // namespace stoker::graph
