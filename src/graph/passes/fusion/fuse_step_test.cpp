#include "graph/passes/passes_testing.h"

// Passes that fuse the end of a training step.
namespace stoker::graph {
namespace {

const std::vector<int64_t> all{}, samples{0};

class StepPasses : public Passes {
 protected:
  StepPasses() {
    labels = graph.add_input({DType::int64, {8}});
    logits = input({8, 3});
  }
  ValueId constant(float value) { return graph.add_constant(Array::scalar(value)); }
  // The loss's sum, and the logits' gradient for a mean over the samples.
  void add_loss() {
    const ValueId loss = node("sparse_softmax_cross_entropy", {labels, logits});
    total = node("reduce_sum", {loss}, {{"axis", all}, {"keepdims", int64_t{0}}});
    softmax = node("softmax", {logits});
    const ValueId scale = node("reshape", {node("multiply", {constant(1), constant(0.125f)})},
                               {{"shape", std::vector<int64_t>{1}}});
    const ValueId each = node("broadcast_to", {scale}, {{"shape", std::vector<int64_t>{8}}});
    gradient = node("sparse_softmax_cross_entropy_grad", {labels, softmax, each});
  }
  ValueId add_hits() {
    const ValueId best = node("argmax", {softmax}, {{"axis", int64_t{-1}}});
    const ValueId hit = node("cast", {node("equal", {labels, best})}, {{"dtype", int64_t{0}}});
    return node("reduce_sum", {hit}, {{"axis", all}, {"keepdims", int64_t{0}}});
  }
  ValueId labels, logits, total, softmax, gradient;
};

TEST_F(StepPasses, TakeAClassifiersEndAtOnce) {
  add_loss();
  const ValueId hits = add_hits();
  graph.outputs = {total, hits, gradient,
                   node("reduce_sum", {gradient}, {{"axis", samples}, {"keepdims", int64_t{0}}})};
  EXPECT_EQ(after(), R"(
  %0 = input int64(8,)
  %1 = input float32(8, 3)
  %2 = constant float32(1,) 0.125
  %3:float32(), %4:float32(), %5:float32(8, 3), %6:float32(3,) = softmax_head(%0, %1, %2) {gradient=1}
  return %3, %4, %5, %6
)");
}

// float16 logits of several positions per sample: neither they nor their gradient are copied to
// float32.
TEST_F(StepPasses, TakeTheLossOfManyClassesFromFloat16AndPadThem) {
  const int64_t rows = 512, classes = 2049;
  const Attrs to_half{{"dtype", int64_t{3}}}, to_float{{"dtype", int64_t{0}}};
  const std::vector<int64_t> places{2, rows / 2}, flat{rows, classes}, split{2, rows / 2, classes};
  labels = graph.add_input({DType::int64, Shape(places)});
  const ValueId h = graph.add_input({DType::bfloat16, {rows, 4}}),
                w = graph.add_input({DType::bfloat16, {classes, 4}});
  const ValueId product = node("matmul", {h, w}, {{"transpose_b", int64_t{1}}});
  logits = node("cast", {node("reshape", {product}, {{"shape", split}})}, to_float);
  const ValueId loss = node("sparse_softmax_cross_entropy", {labels, logits});
  const ValueId each =
      node("broadcast_to", {graph.add_constant(Array::scalar(0.5f))}, {{"shape", places}});
  gradient = node("sparse_softmax_cross_entropy_grad", {labels, node("softmax", {logits}), each});
  const ValueId back = node("reshape", {node("cast", {gradient}, to_half)}, {{"shape", flat}});
  graph.outputs = {node("reduce_sum", {loss}, {{"axis", all}, {"keepdims", int64_t{0}}}),
                   node("matmul", {back, w}),
                   node("matmul", {back, h}, {{"transpose_a", int64_t{1}}})};
  const std::string done = after({"softmax_head"});
  for (const char* part :
       {"wide_softmax_head(", "bfloat16(2056, 4) = pad(", "bfloat16(512, 2056) = matmul(",
        "classes=2049", "bfloat16(2049, 4) = slice("})
    EXPECT_NE(done.find(part), std::string::npos) << part << " is not in" << done;
  for (const char* part : {"2049) = ", "= cast(", "= softmax("})
    EXPECT_EQ(done.find(part), std::string::npos) << part << " is in" << done;
}

TEST_F(StepPasses, TakeTheAccuracyOfFloat16) {
  const ValueId narrow = graph.add_input({DType::bfloat16, {8, 3}});
  const Attrs to_half{{"dtype", int64_t{3}}}, to_float{{"dtype", int64_t{0}}};
  logits = node("cast", {narrow}, to_float);
  add_loss();
  softmax = node("cast", {node("softmax", {narrow})}, to_float);
  graph.outputs = {total, add_hits(), node("cast", {gradient}, to_half)};
  EXPECT_NE(after().find("%4:float32(), %5:float32(), %6:bfloat16(8, 3), %7:bfloat16(3,) = "
                         "softmax_head(%0, %2, %3) {gradient=1}\n  return %4, %5, %6"),
            std::string::npos)
      << after();
}

TEST_F(StepPasses, TakeTheLastLayerAlongBothWays) {
  const ValueId h = input({8, 4}), w = input({4, 3}), bias = input({3});
  logits = node("add", {node("matmul", {h, w}), bias});
  add_loss();
  const ValueId back = node("matmul", {gradient, w}, {{"transpose_b", int64_t{1}}});
  graph.outputs = {total, gradient, node("relu_grad", {back, h})};
  EXPECT_EQ(after(), R"(
  %0 = input int64(8,)
  %1 = input float32(8, 3)
  %2 = input float32(8, 4)
  %3 = input float32(4, 3)
  %4 = input float32(3,)
  %5 = constant float32(1,) 0.125
  %6:float32(), %7:float32(), %8:float32(8, 3), %9:float32(3,), %10:float32(8, 4) = dense_softmax_head(%0, %2, %3, %4, %5) {mask=1}
  return %6, %8, %10
)");
}

TEST_F(StepPasses, LeaveTheLastLayerAloneWhereItsLogitsAreReadElsewhere) {
  const ValueId h = input({8, 4}), w = input({4, 3}), bias = input({3});
  logits = node("add", {node("matmul", {h, w}), bias});
  add_loss();
  graph.outputs = {total, logits, node("matmul", {gradient, w}, {{"transpose_b", int64_t{1}}})};
  EXPECT_EQ(after().find("dense_softmax_head"), std::string::npos) << after();
}

TEST_F(StepPasses, CastAllWeightsAtOnce) {
  const Attrs to_bfloat16{{"dtype", int64_t{3}}};
  const ValueId w = input({4, 3}), bias = input({3});
  const ValueId narrow = node("cast", {w}, to_bfloat16);
  graph.outputs = {narrow, node("cast", {bias}, to_bfloat16),
                   node("cast", {node("exp", {bias})}, to_bfloat16)};
  const std::string done = after();
  EXPECT_NE(done.find("= cast_many(%2, %3) {dtype=3}"), std::string::npos) << done;
  EXPECT_EQ(done.find(" = cast(%2"), std::string::npos) << done;
}

TEST_F(StepPasses, TakeALossWithoutGradient) {
  add_loss();
  graph.outputs = {total, add_hits(), softmax};
  EXPECT_EQ(after(), R"(
  %0 = input int64(8,)
  %1 = input float32(8, 3)
  %2:float32(8, 3) = softmax(%1) {}
  %3:float32(), %4:float32() = softmax_head(%0, %1) {gradient=0}
  return %3, %4, %2
)");
}

// The per-sample losses are outputs, so they are not fused away.
TEST_F(StepPasses, LeaveWeightedLossesAlone) {
  const ValueId loss = node("sparse_softmax_cross_entropy", {labels, logits});
  graph.outputs = {node("reduce_sum", {node("multiply", {loss, input({8})})}, {{"axis", all}})};
  EXPECT_EQ(after().find("softmax_head"), std::string::npos);
}

TEST_F(StepPasses, LeaveTheEndAloneWhereTheDeviceCannot) {
  add_loss();
  graph.outputs = {total, gradient};
  const std::string done = after({"softmax_head", "wide_softmax_head"});
  EXPECT_EQ(done.find("softmax_head"), std::string::npos) << done;
  EXPECT_NE(done.find("sparse_softmax_cross_entropy_grad("), std::string::npos) << done;
}

TEST_F(StepPasses, StepSmallWeightsTogetherAndSumTheirGradients) {
  const ValueId step = input({}), dy = input({8, 5}), dk = input({2, 2});
  const ValueId db = node("reduce_sum", {dy}, {{"axis", samples}, {"keepdims", int64_t{0}}});
  std::vector<ValueId> values;
  for (const auto& [name, dims, g] : {std::tuple{"b", std::vector<int64_t>{5}, db},
                                      std::tuple{"k", std::vector<int64_t>{2, 2}, dk}}) {
    const ValueId w = state(name, dims), m = state("m", dims), v = state("v", dims);
    const auto updated = nodes("adam_update", {w, m, v, g, step}, {{"beta_1", 0.9}});
    values.insert(values.end(), updated.begin(), updated.end());
  }
  for (size_t i = 0; i < 6; ++i) graph.states[i].update = values[i];
  const std::string done = after();
  EXPECT_NE(done.find("adam_update_many(%5, %6, %7, %3, %8, %9, %10, %4, %2) {beta_1=0.9}"),
            std::string::npos)
      << done;
  EXPECT_EQ(done.find("reduce_sum"), std::string::npos) << done;
  EXPECT_EQ(after({"adam_update_many"}).find("adam_update_many"), std::string::npos);
}

// Updates with different step sizes are not merged, and a large weight's gradient does not wait for
// others.
TEST_F(StepPasses, LeaveOtherStepsAlone) {
  const std::vector<int64_t> large{1024, 1024};
  const ValueId w = state("w", {5}), m = state("m", {5}), v = state("v", {5});
  const ValueId big = state("big", large), bm = state("bm", large), bv = state("bv", large);
  const ValueId small = state("small", {5}), sm = state("sm", {5}), sv = state("sv", {5});
  const ValueId step = input({});
  const auto a = nodes("adam_update", {w, m, v, input({5}), step});
  const auto b = nodes("adam_update", {big, bm, bv, input(large), step});
  const auto c = nodes("adam_update", {small, sm, sv, input({5}), input({})});
  graph.outputs = {a[0], b[0], c[0]};
  EXPECT_EQ(after().find("adam_update_many"), std::string::npos) << after();
}

TEST_F(StepPasses, GatherByTheSameIndicesAtOnce) {
  const ValueId x = input({9, 4}), y = input({9});
  const ValueId other = graph.add_input({DType::int64, {2}});
  graph.outputs = {node("gather", {x, labels}), node("gather", {y, labels}),
                   node("gather", {x, other})};
  EXPECT_EQ(after(), R"(
  %0 = input int64(8,)
  %1 = input float32(8, 3)
  %2 = input float32(9, 4)
  %3 = input float32(9,)
  %4 = input int64(2,)
  %5:float32(8, 4), %6:float32(8,) = gather_many(%2, %3, %0) {}
  %7:float32(2, 4) = gather(%2, %4) {}
  return %5, %6, %7
)");
  EXPECT_EQ(after({"gather_many"}).find("gather_many"), std::string::npos);
}

// Rows used only as float16 are gathered as float16; those with other readers are not.
TEST_F(StepPasses, GatherFloat16) {
  const Attrs to_half{{"dtype", int64_t{3}}};
  const ValueId x = input({9, 4}), y = input({9});
  const ValueId rows = node("gather", {x, labels}), targets = node("gather", {y, labels});
  graph.outputs = {node("cast", {rows}, to_half), node("cast", {targets}, to_half), targets};
  const std::string done = after();
  EXPECT_NE(done.find("bfloat16(8, 4), %5:float32(8,) = gather_many(%2, %3, %0) {dtypes=[3, 0]}"),
            std::string::npos)
      << done;
}

// One gather's result affects the other's input: they cannot be merged.
TEST_F(StepPasses, GatherNothingThatDependsOnItself) {
  const ValueId first = node("gather", {input({9, 4}), labels});
  graph.outputs = {node("gather", {node("exp", {first}), labels})};
  EXPECT_EQ(after().find("gather_many"), std::string::npos) << after();
}

}  // namespace
}  // namespace stoker::graph
