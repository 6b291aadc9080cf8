#include "graph/memory_peak.h"

#include <gtest/gtest.h>

namespace stoker::graph {
namespace {

// The gradient of a matrix product, and a clipped SGD update that uses it.
TEST(MemoryPeak, TellsGradientsFromActivationsAndWorkspace) {
  Graph graph;
  const ValueId x = graph.add_input({DType::float32, {64, 32}}),
                dy = graph.add_input({DType::float32, {64, 16}}),
                rate = graph.add_input({DType::float32, {}});
  auto state = std::make_shared<State>();
  state->type = {DType::float32, {32, 16}};
  const ValueId w = graph.state_value(state);
  const auto add = [&](const char* op, std::vector<ValueId> in, Attrs attrs = {}) {
    return graph.add_node(find_op(op), std::move(in), std::move(attrs))[0];
  };
  const ValueId kept = add("exp", {x});
  const ValueId dw = add("matmul", {kept, dy}, {{"transpose_a", int64_t{1}}});
  const ValueId clipped = add("tanh", {dw});
  graph.use_of(state).update = add("subtract", {w, add("multiply", {clipped, rate})});
  const MemoryPlan plan = plan_memory(graph, {0, 1000, 0, 0, 0});
  const MemoryPeak peak = find_peak(graph, plan);
  EXPECT_EQ(peak.node, 1);
  EXPECT_EQ(peak.gradients, 32 * 16 * 4);
  EXPECT_EQ(peak.activations, 64 * 32 * 4);
  EXPECT_EQ(peak.workspace, 1024);
  EXPECT_EQ(peak.gradients + peak.activations + peak.workspace, plan.arena_bytes);
}

TEST(MemoryPeak, AnEmptyGraphHoldsNothing) {
  const Graph graph;
  const MemoryPeak peak = find_peak(graph, plan_memory(graph, {}));
  EXPECT_EQ(peak.gradients + peak.activations + peak.workspace, 0);
}

}  // namespace
}  // namespace stoker::graph
