#include "graph/passes/recompute.h"

#include <gtest/gtest.h>

namespace stoker::graph {
namespace {

// Products of square matrices with tanh in between, and the backward pass that a tape would add.
struct Chain {
  Graph graph;
  std::vector<ValueId> products, results;

  explicit Chain(int layers) {
    ValueId x = graph.add_input(type), gradient = graph.add_input(type);
    for (int i = 0; i < layers; ++i) {
      weights.push_back(graph.add_input(type));
      inputs.push_back(x);
      products.push_back(add("matmul", {x, weights.back()}, "layer"));
      results.push_back(x = add("tanh", {products.back()}, "layer"));
    }
    for (int i = layers; i-- > 0;) {
      const auto at = static_cast<size_t>(i);
      const ValueId derivative = add("square", {results[at]}, "layer:grad");
      gradient = add("multiply", {gradient, derivative}, "layer:grad");
      graph.outputs.push_back(
          add("matmul", {inputs[at], gradient}, "layer:grad", {{"transpose_a", int64_t{1}}}));
      gradient =
          add("matmul", {gradient, weights[at]}, "layer:grad", {{"transpose_b", int64_t{1}}});
    }
  }
  ValueId add(const char* op, std::vector<ValueId> in, const char* scope, Attrs attrs = {}) {
    return graph.add_node(find_op(op), std::move(in), std::move(attrs), scope)[0];
  }
  Graph after(const Recomputation& how) const {
    Graph done = recompute_pass(how).run(graph, {});
    done.verify();
    return done;
  }

  const TensorType type{DType::float32, {64, 64}};
  std::vector<ValueId> weights, inputs;
};

int64_t count(const Graph& graph, const std::string& op, const std::string& scope) {
  return std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return node.op->name == op && node.scope == scope;
  });
}

TEST(Recompute, KeepsWhatCrossesACutAndTheLastPart) {
  const Chain chain(6);
  const auto kept = find_kept(chain.graph, {3});
  std::vector<bool> results;
  for (ValueId v : chain.results) results.push_back(kept[static_cast<size_t>(v)]);
  EXPECT_EQ(results, (std::vector<bool>{false, true, false, true, true, true}));
}

TEST(Recompute, CheapOpsAloneRunAgainFirst) {
  const Chain chain(4);
  ASSERT_EQ(recomputations(chain.graph)[0].parts, 0);
  const Graph done = chain.after({0});
  EXPECT_EQ(count(done, "tanh", "layer:again"), 3) << "the last is needed before any gradient";
  EXPECT_EQ(count(done, "matmul", "layer:again"), 0);
}

TEST(Recompute, CopiesWaitForAGradient) {
  const Graph done = Chain(6).after({3});
  EXPECT_EQ(count(done, "tanh", "layer:again"), 2);
  EXPECT_EQ(count(done, "matmul", "layer:again"), 2);
  for (const Node& node : done.nodes) {
    if (node.scope != "layer:again") continue;
    for (ValueId v : node.inputs)
      if (const Node* from = done.producer(v); from && from->scope != "layer:again") {
        EXPECT_EQ(from->op->name, "after");
        EXPECT_TRUE(is_backward(*done.producer(from->inputs[1])));
      }
  }
}

TEST(Recompute, AGraphWithoutABackwardPassStaysAsItIs) {
  Graph graph;
  graph.outputs = graph.add_node(find_op("exp"), {graph.add_input({DType::float32, {3}})}, {});
  EXPECT_EQ(recompute_pass({2}).run(graph, {}).to_string(), graph.to_string());
}

}  // namespace
}  // namespace stoker::graph
