#include "graph/passes/late_gradients.h"

#include <gtest/gtest.h>

namespace stoker::graph {
namespace {

// y = f(x), its derivative times a gradient that comes back through a product.
struct Forward {
  Graph graph;
  const TensorType type{DType::float32, {4, 4}};
  const ValueId x = graph.add_input(type), w = graph.add_input(type);

  ValueId add(const char* op, std::vector<ValueId> in, const char* scope = "layer") {
    return graph.add_node(find_op(op), std::move(in), {}, scope)[0];
  }
  bool is_late(ValueId v) const {
    std::vector<bool> fusible;
    for (const Node& node : graph.nodes) fusible.push_back(node.op->elementwise);
    return find_late_gradients(graph, fusible)[static_cast<size_t>(graph.value(v).index)];
  }
};

TEST(LateGradients, OfAValueThatIsKeptAnywayStayBehind) {
  Forward f;
  const ValueId z = f.add("matmul", {f.x, f.w}), y = f.add("tanh", {z});
  const ValueId back = f.add("matmul", {y, f.w}, ":grad"),
                derivative = f.add("square", {y}, ":grad");
  f.graph.outputs = {f.add("multiply", {back, derivative}, ":grad")};
  EXPECT_TRUE(f.is_late(derivative));
  EXPECT_FALSE(f.is_late(f.graph.outputs[0])) << "that is a gradient";
}

TEST(LateGradients, OfTwoValuesAreOneValueIfMadeEarly) {
  Forward f;
  const ValueId z = f.add("matmul", {f.x, f.w}), e = f.add("erf", {z});
  f.graph.outputs = {f.add("matmul", {f.add("multiply", {z, e}), f.w})};
  const ValueId back = f.add("matmul", {f.x, f.w}, ":grad");
  const ValueId derivative = f.add("add", {f.add("square", {z}, ":grad"), e}, ":grad");
  f.graph.outputs.push_back(f.add("multiply", {back, derivative}, ":grad"));
  EXPECT_FALSE(f.is_late(derivative));
}

}  // namespace
}  // namespace stoker::graph
