#include "graph/passes/passes_testing.h"

namespace stoker::graph {
namespace {

class RepeatPass : public Passes {
 protected:
  ValueId back(const char* op, std::vector<ValueId> in) {
    return graph.add_node(find_op(op), std::move(in), {}, "layer:grad")[0];
  }
  std::string kept_apart() { return after({"fused_elementwise"}); }
  size_t times(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }
  const ValueId x = input({64, 64}), w = input({64, 64}), dy = input({64, 64});
};

// y = h * tanh(exp(h)): its derivative needs both factors, or h alone.
TEST_F(RepeatPass, ComputesTheInnerValuesOfAChainAgain) {
  const ValueId h = node("matmul", {x, w});
  const ValueId e = node("exp", {h}), t = node("tanh", {e}), y = node("multiply", {h, t});
  const ValueId through = node("matmul", {y, w});
  const ValueId both = back("multiply", {back("multiply", {dy, e}), t});
  graph.outputs = {through, back("multiply", {both, h})};
  const std::string done = kept_apart();
  EXPECT_EQ(times(done, "= exp("), 2u) << done;
  EXPECT_EQ(times(done, "= tanh("), 2u) << done;
}

// Keeping tanh(h) or h needs the same memory, so nothing is recomputed.
TEST_F(RepeatPass, LeavesAValueAloneThatCostsNoMoreThanItsBeginning) {
  const ValueId h = node("matmul", {x, w});
  const ValueId t = node("tanh", {h}), y = node("multiply", {t, dy});
  graph.outputs = {node("matmul", {y, w}), back("multiply", {dy, t})};
  EXPECT_EQ(times(kept_apart(), "= tanh("), 1u);
}

// A relu's result is kept for the next layer's weight gradient in any case.
TEST_F(RepeatPass, LeavesAloneWhatAProductReads) {
  const ValueId h = node("matmul", {x, w});
  const ValueId y = node("abs", {h}), z = node("exp", {y});
  graph.outputs = {node("matmul", {z, w}), node("matmul", {y, w}),
                   back("multiply", {back("multiply", {dy, z}), y})};
  const std::string done = kept_apart();
  EXPECT_EQ(times(done, "= exp("), 1u) << done;
  EXPECT_EQ(times(done, "= abs("), 1u) << done;
}

}  // namespace
}  // namespace stoker::graph
