#include "graph/passes/match.h"

namespace stoker::graph {

// True if adding `row` to `sum` adds one number to each of the last `length` elements in order:
// along the last axis, or along the axes that the last axis was split into.
static bool runs_along(const Shape& row, const Shape& sum, int64_t length) {
  if (row.rank() == 0 || row.rank() > sum.rank() || row.size() != length) return false;
  int64_t covered = 1;
  for (int i = 1; i <= row.rank() && covered < length; ++i) {
    if (row[row.rank() - i] != sum[sum.rank() - i]) return false;
    covered *= row[row.rank() - i];
  }
  return covered == length;
}

BiasAdd match_bias_add(const Graph& graph, const Matcher& matcher, const Node& add,
                       std::string_view op) {
  if (add.op->name != "add") return {};
  for (size_t side = 0; side < 2; ++side) {
    const ValueId sum = add.inputs[side], bias = add.inputs[1 - side];
    const Node* producer = matcher.sole(sum, op);
    ValueId result = sum;
    if (!producer && matcher.is_single_use(sum)) {
      result = matcher.behind_reshape(sum);
      producer = matcher.sole(result, op);
    }
    if (!producer || graph.type(sum) != graph.type(add.outputs[0])) continue;
    const int64_t length = graph.type(result).shape.back();
    if (!runs_along(graph.type(bias).shape, graph.type(sum).shape, length)) continue;
    return {producer, result, bias};
  }
  return {};
}

std::vector<ValueId> try_add(Rewriter& rewriter, const Accepts& accepts, std::string_view op,
                             std::vector<ValueId> inputs, Attrs attrs, const std::string& scope) {
  Graph& graph = rewriter.graph();
  auto outputs = graph.add_node(find_op(op), std::move(inputs), std::move(attrs), scope);
  return accepts(graph, graph.nodes.back()) ? outputs : std::vector<ValueId>{};
}

void stand_in(Rewriter& rewriter, const Graph& graph, ValueId old, ValueId now) {
  const Shape& wanted = graph.type(old).shape;
  if (rewriter.graph().type(now).shape != wanted)
    now = rewriter.graph().add_node(find_op("reshape"), {now}, {{"shape", wanted.dims()}})[0];
  rewriter.set(old, now);
}

}  // namespace stoker::graph
