#include "graph/passes/passes_testing.h"

namespace stoker::graph {
namespace {

class FuseBatchNorm : public Passes {
 protected:
  // relu(batch_norm(x)) whose mean is read in between, and its gradient.
  void build() {
    const ValueId x = input({8, 4}), gamma = input({4}), beta = input({4}), dy = input({8, 4});
    const auto norm = nodes("batch_norm", {x, gamma, beta}, {{"epsilon", 1e-3}});
    const ValueId read = node("exp", {norm[1]});
    const ValueId y = node("relu", {norm[0]});
    const ValueId relu_gradient = node("relu_grad", {dy, y});
    const auto back = nodes("batch_norm_grad", {relu_gradient, x, norm[1], norm[2], gamma, beta},
                            {{"epsilon", 1e-3}});
    graph.outputs = {y, read, back[0], back[1], back[2]};
  }
  static size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }
};

TEST_F(FuseBatchNorm, TakesTheReluBothWays) {
  build();
  const std::string text = after();
  EXPECT_EQ(count(text, "batch_norm("), 1u) << text;
  EXPECT_EQ(count(text, "batch_norm_grad("), 1u) << text;
  EXPECT_EQ(count(text, "activation"), 2u) << text;
  EXPECT_EQ(count(text, "relu("), 0u) << text;
  EXPECT_EQ(count(text, "relu_grad("), 0u) << text;
}

// Two normalisations that are added: the later one takes the earlier one's result as residual
// input.
TEST_F(FuseBatchNorm, TakesTheEndOfAResidualBlock) {
  const ValueId x = input({8, 4}), gamma = input({4}), beta = input({4});
  const auto first = nodes("batch_norm", {x, gamma, beta}, {{"epsilon", 1e-3}}),
             second = nodes("batch_norm", {node("exp", {x}), gamma, beta}, {{"epsilon", 1e-3}});
  graph.outputs = {node("relu", {node("add", {first[0], second[0]})}), first[1], second[2]};
  const std::string text = after();
  EXPECT_EQ(count(text, "batch_norm("), 2u) << text;
  EXPECT_EQ(count(text, "activation=relu, epsilon=0.001, residual=1"), 1u) << text;
  EXPECT_EQ(count(text, "= add("), 0u) << text;
  EXPECT_EQ(count(text, "= relu("), 0u) << text;
}

TEST_F(FuseBatchNorm, LeavesAReluWhoseInputIsReadElsewhere) {
  build();
  graph.outputs.push_back(graph.nodes[0].outputs[0]);
  EXPECT_EQ(count(after(), "activation=relu"), 1u);  // the backward pass does not need y
}

}  // namespace
}  // namespace stoker::graph
