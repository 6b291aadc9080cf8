#include "graph/passes/passes_testing.h"

namespace stoker::graph {
namespace {

TEST_F(Passes, FuseAMesh) {
  const ValueId x = input({4, 3}), row = input({3});
  const ValueId sum = node("add", {x, row}), y = node("tanh", {sum}),
                z = node("multiply", {y, sum});
  graph.outputs = {z, y};
  EXPECT_EQ(after(), R"(
  %0 = input float32(4, 3)
  %1 = input float32(3,)
  %2:float32(4, 3), %3:float32(4, 3) = fused_elementwise(%0, %1) {program=add:float32 0 1;tanh:float32 2;multiply:float32 3 2, results=[3, 4], shape=[4, 3]}
  return %3, %2
)");
}

// a -> reduce -> b, and a -> b: one node for a and b would have to run before and after reduce.
TEST_F(Passes, FuseNothingIntoACycle) {
  const ValueId x = input({4, 3});
  const ValueId a = node("exp", {x});
  const ValueId total = node("reduce_sum", {a}, {{"axis", std::vector<int64_t>{}}});
  graph.outputs = {node("divide", {a, total})};
  EXPECT_EQ(after(), R"(
  %0 = input float32(4, 3)
  %1:float32(4, 3) = exp(%0) {}
  %2:float32() = reduce_sum(%1) {axis=[]}
  %3:float32(4, 3) = divide(%1, %2) {}
  return %3
)");
}

TEST_F(Passes, SpreadScalarsInsideTheProgram) {
  const ValueId x = input({4, 3}), s = input({});
  const ValueId wide = node("broadcast_to", {s}, {{"shape", std::vector<int64_t>{4, 3}}});
  const ValueId y =
      node("reduce_sum", {node("multiply", {x, wide})}, {{"axis", std::vector<int64_t>{0}}});
  graph.outputs = {y, node("subtract", {wide, x})};
  EXPECT_EQ(after(), R"(
  %0 = input float32(4, 3)
  %1 = input float32()
  %2:float32(4, 3), %3:float32(4, 3) = fused_elementwise(%1, %0) {program=multiply:float32 1 0;subtract:float32 0 1, results=[2, 3], shape=[4, 3]}
  %4:float32(3,) = reduce_sum(%2) {axis=[0]}
  return %4, %3
)");
}

TEST_F(Passes, GatherScalarsIntoOneNode) {
  const ValueId a = input({}), b = input({});
  graph.outputs = {node("square", {a}), node("sqrt", {b}), node("add", {a, b})};
  EXPECT_EQ(after(), R"(
  %0 = input float32()
  %1 = input float32()
  %2:float32(), %3:float32(), %4:float32() = fused_elementwise(%0, %1) {program=square:float32 0;sqrt:float32 1;add:float32 0 1, results=[2, 3, 4], shape=[]}
  return %2, %3, %4
)");
}

TEST_F(Passes, LeaveNodesAloneThatTheDeviceCannotFuse) {
  const ValueId x = input({4}), s = input({});
  const ValueId wide = node("broadcast_to", {s}, {{"shape", std::vector<int64_t>{4}}});
  graph.outputs = {node("exp", {node("add", {x, wide})})};
  EXPECT_EQ(after({"fused_elementwise"}), R"(
  %0 = input float32(4,)
  %1 = input float32()
  %2:float32(4,) = broadcast_to(%1) {shape=[4]}
  %3:float32(4,) = add(%0, %2) {}
  %4:float32(4,) = exp(%3) {}
  return %4
)");
}

// As in attention: the product's columns are split over heads, and so is the bias.
TEST_F(Passes, FuseABiasAlongASplitAxis) {
  const ValueId x = input({8, 4}), w = input({4, 6}), bias = input({2, 3}), other = input({3});
  const std::vector<int64_t> split{2, 4, 2, 3};
  const auto heads = [&] { return node("reshape", {node("matmul", {x, w})}, {{"shape", split}}); };
  graph.outputs = {node("add", {heads(), bias})};
  EXPECT_NE(after().find("float32(8, 6) = fused_matmul(%0, %1, %2) {bias=1}"), std::string::npos)
      << after();
  graph.outputs = {node("add", {heads(), other})};
  EXPECT_EQ(after().find("fused_matmul"), std::string::npos) << after();
}

TEST_F(Passes, FuseDenseLayers) {
  const ValueId x = input({8, 5}), w = state("w", {5, 3}), b = state("b", {3});
  const ValueId y = node("relu", {node("add", {node("matmul", {x, w}), b})});
  const ValueId g = node("matmul", {input({8, 2}), input({2, 3})});
  graph.outputs = {y, node("relu_grad", {g, y})};
  EXPECT_EQ(after(), R"(
  %0 = input float32(8, 5)
  %1 = input float32(8, 2)
  %2 = input float32(2, 3)
  %3 = state "w" float32(5, 3)
  %4 = state "b" float32(3,)
  %5:float32(8, 3) = fused_matmul(%0, %3, %4) {activation=relu, bias=1}
  %6:float32(8, 3) = fused_matmul(%1, %2, %5) {mask=1}
  return %5, %6
)");
}

TEST_F(Passes, StepWithoutWritingTheGradientAndBeforeLaterNodes) {
  const ValueId x = input({8, 5}), dy = input({8, 3}), step = input({});
  const ValueId w = state("w", {5, 3}), m = state("m", {5, 3}), v = state("v", {5, 3});
  const ValueId dx = node("matmul", {dy, w}, {{"transpose_b", int64_t{1}}});
  const ValueId dw = node("matmul", {x, dy}, {{"transpose_a", int64_t{1}}});
  const ValueId rest = node("reduce_sum", {dx}, {{"axis", std::vector<int64_t>{}}});
  const auto updated = nodes("adam_update", {w, m, v, dw, step}, {{"beta_1", 0.9}});
  for (size_t i = 0; i < 3; ++i) graph.states[i].update = updated[i];
  graph.outputs = {rest};
  EXPECT_EQ(after(), R"(
  %0 = input float32(8, 5)
  %1 = input float32(8, 3)
  %2 = input float32()
  %3 = state "w" float32(5, 3)
  %4 = state "m" float32(5, 3)
  %5 = state "v" float32(5, 3)
  %6:float32(8, 5) = matmul(%1, %3) {transpose_b=1}
  %7:float32(5, 3), %8:float32(5, 3), %9:float32(5, 3) = matmul_adam(%0, %1, %3, %4, %5, %2) {beta_1=0.9, transpose_a=1}
  %10:float32() = reduce_sum(%6) {axis=[]}
  "w" <- %7
  "m" <- %8
  "v" <- %9
  return %10
)");
}

TEST_F(Passes, StepABiasAlongWithTheWeight) {
  const ValueId x = input({8, 5}), dy = input({8, 3}), step = input({});
  const ValueId w = state("w", {5, 3}), m = state("m", {5, 3}), v = state("v", {5, 3});
  const ValueId b = state("b", {3}), bm = state("bm", {3}), bv = state("bv", {3});
  const ValueId db = node("reduce_sum", {dy}, {{"axis", std::vector<int64_t>{0}}});
  const ValueId dw = node("matmul", {x, dy}, {{"transpose_a", int64_t{1}}});
  const auto weight = nodes("adam_update", {w, m, v, dw, step}, {{"beta_1", 0.9}});
  const auto bias = nodes("adam_update", {b, bm, bv, db, step}, {{"beta_1", 0.9}});
  for (size_t i = 0; i < 3; ++i) {
    graph.states[i].update = weight[i];
    graph.states[i + 3].update = bias[i];
  }
  const std::string done = after();
  EXPECT_NE(done.find("= matmul_adam_bias(%0, %1, %3, %4, %5, %2, %6, %7, %8) "), std::string::npos)
      << done;
  EXPECT_EQ(done.find("reduce_sum"), std::string::npos) << done;
  EXPECT_EQ(done.find("adam_update"), std::string::npos) << done;
  // A device without that op updates the two separately.
  const std::string refused = after({"matmul_adam_bias", "adam_update_many"});
  EXPECT_NE(refused.find("= matmul_adam("), std::string::npos) << refused;
  EXPECT_NE(refused.find("= adam_update("), std::string::npos) << refused;
}

// Other betas or another step size: not the same update.
TEST_F(Passes, LeaveABiasOfAnotherStepAlone) {
  const ValueId x = input({8, 5}), dy = input({8, 3}), step = input({});
  const ValueId w = state("w", {5, 3}), m = state("m", {5, 3}), v = state("v", {5, 3});
  const ValueId b = state("b", {3}), bm = state("bm", {3}), bv = state("bv", {3});
  const ValueId db = node("reduce_sum", {dy}, {{"axis", std::vector<int64_t>{0}}});
  const ValueId dw = node("matmul", {x, dy}, {{"transpose_a", int64_t{1}}});
  const auto weight = nodes("adam_update", {w, m, v, dw, step}, {{"beta_1", 0.9}});
  const auto bias = nodes("adam_update", {b, bm, bv, db, step}, {{"beta_1", 0.8}});
  for (size_t i = 0; i < 3; ++i) {
    graph.states[i].update = weight[i];
    graph.states[i + 3].update = bias[i];
  }
  EXPECT_EQ(after().find("matmul_adam_bias"), std::string::npos);
}

TEST_F(Passes, StepWithAFloat16GradientAsItIs) {
  const ValueId x = graph.add_input({DType::bfloat16, {8, 5}}),
                dy = graph.add_input({DType::bfloat16, {8, 3}}), step = input({});
  const ValueId w = state("w", {5, 3}), m = state("m", {5, 3}), v = state("v", {5, 3});
  const ValueId dw = node("matmul", {x, dy}, {{"transpose_a", int64_t{1}}});
  const ValueId wide = node("cast", {dw}, {{"dtype", static_cast<int64_t>(DType::float32)}});
  const auto updated = nodes("adam_update", {w, m, v, wide, step}, {{"beta_1", 0.9}});
  for (size_t i = 0; i < 3; ++i) graph.states[i].update = updated[i];
  const std::string done = after();
  EXPECT_NE(done.find("= matmul_adam(%0, %1, %3, %4, %5, %2) "), std::string::npos) << done;
  EXPECT_EQ(done.find("cast"), std::string::npos) << done;
}

// A conditional update has one more node before the state, and both move.
TEST_F(Passes, StepOnAConditionBeforeLaterNodes) {
  const ValueId x = input({8, 5}), dy = input({8, 3}), step = input({});
  const ValueId counts = graph.add_input({DType::boolean, {}});
  const ValueId w = state("w", {5, 3}), m = state("m", {5, 3}), v = state("v", {5, 3});
  const ValueId dw = node("matmul", {x, dy}, {{"transpose_a", int64_t{1}}});
  const ValueId rest = node("reduce_sum", {dy}, {{"axis", std::vector<int64_t>{}}});
  const auto updated = nodes("adam_update", {w, m, v, dw, step});
  for (size_t i = 0; i < 3; ++i)
    graph.states[i].update = node("select", {counts, updated[i], graph.states[i].value});
  graph.outputs = {rest};
  const std::string done = after({"matmul_adam", "adam_update_if"});
  EXPECT_LT(done.find("adam_update"), done.find("select")) << done;
  EXPECT_LT(done.rfind("select"), done.find("reduce_sum")) << done;
}

// A conditional update works in place, and takes the gradient before it was cast and unscaled.
TEST_F(Passes, StepOnAConditionInPlace) {
  const ValueId step = input({}), scale = input({});
  const ValueId half = graph.add_input({DType::float16, {5, 3}});
  const ValueId counts = graph.add_input({DType::boolean, {}});
  const ValueId w = state("w", {5, 3}), m = state("m", {5, 3}), v = state("v", {5, 3});
  const ValueId wide = node("cast", {half}, {{"dtype", static_cast<int64_t>(DType::float32)}});
  const auto updated = nodes("adam_update", {w, m, v, node("divide", {wide, scale}), step});
  for (size_t i = 0; i < 3; ++i)
    graph.states[i].update = node("select", {counts, updated[i], graph.states[i].value});
  const std::string done = after();
  EXPECT_NE(done.find("adam_update_if(%4, %5, %6, %2, %0, %3, %1) {scaled=1}"), std::string::npos)
      << done;
  EXPECT_EQ(done.find("select"), std::string::npos) << done;
  EXPECT_EQ(done.find("cast"), std::string::npos) << done;
}

// If one state has another condition, the selects stay.
TEST_F(Passes, LeaveAStepOnTwoConditionsAlone) {
  const ValueId g = input({5, 3}), step = input({});
  const ValueId one = graph.add_input({DType::boolean, {}}),
                two = graph.add_input({DType::boolean, {}});
  const ValueId w = state("w", {5, 3}), m = state("m", {5, 3}), v = state("v", {5, 3});
  const auto updated = nodes("adam_update", {w, m, v, g, step});
  for (size_t i = 0; i < 3; ++i)
    graph.states[i].update = node("select", {i < 2 ? one : two, updated[i], graph.states[i].value});
  EXPECT_EQ(after().find("adam_update_if"), std::string::npos);
}

TEST_F(Passes, PoolConvolutionsAtOnce) {
  const Attrs conv{{"kernel_size", std::vector<int64_t>{3, 3}},
                   {"strides", std::vector<int64_t>{1, 1}},
                   {"padding", std::vector<int64_t>{0, 0, 0, 0}}};
  const Attrs pool{{"pool_size", std::vector<int64_t>{2, 2}},
                   {"strides", std::vector<int64_t>{2, 2}},
                   {"padding", std::vector<int64_t>{0, 0, 0, 0}}};
  const ValueId x = input({2, 6, 6, 1}), k = state("k", {3, 3, 1, 4}), b = state("b", {4});
  const auto pooled = nodes("max_pool2d", {node("add", {node("conv2d", {x, k}, conv), b})}, pool);
  const ValueId y = node("relu", {pooled[0]});
  Attrs back = pool, kernel = conv;
  back.set("shape", std::vector<int64_t>{2, 4, 4, 4});
  kernel.set("shape", std::vector<int64_t>{3, 3, 1, 4});
  const ValueId g =
      node("max_pool2d_grad", {node("relu_grad", {input({2, 2, 2, 4}), y}), pooled[1]}, back);
  graph.outputs = {y, node("conv2d_kernel_grad", {x, g}, kernel)};
  EXPECT_EQ(after(), R"(
  %0 = input float32(2, 6, 6, 1)
  %1 = input float32(2, 2, 2, 4)
  %2 = state "k" float32(3, 3, 1, 4)
  %3 = state "b" float32(4,)
  %4:float32(2, 2, 2, 4), %5:uint8(2, 2, 2, 4) = conv2d_bias_pool(%0, %2, %3) {activation=relu, kernel_size=[3, 3], padding=[0, 0, 0, 0], pool_size=[2, 2], strides=[1, 1]}
  %6:float32(2, 2, 2, 4) = relu_grad(%1, %4) {}
  %7:float32(3, 3, 1, 4) = conv2d_kernel_grad_pooled(%0, %6, %5) {kernel_size=[3, 3], padding=[0, 0, 0, 0], pool_size=[2, 2], shape=[3, 3, 1, 4], strides=[1, 1]}
  return %4, %7
)");
}

// conv2d + bias + relu, flattened, then a matrix product: the gradient through them.
class ProductsOfImages : public Passes {
 protected:
  const std::vector<int64_t> shape{3, 3, 1, 16};
  const Attrs conv{{"kernel_size", std::vector<int64_t>{3, 3}},
                   {"strides", std::vector<int64_t>{1, 1}},
                   {"padding", std::vector<int64_t>{0, 0, 0, 0}}};
  const ValueId x = input({2, 6, 6, 1}), da = input({2, 5}), k = state("k", shape),
                b = state("b", {16}), w = state("w", {256, 5}), pooled_w = state("v", {64, 5});

  ValueId back(ValueId weight, ValueId activation) {
    const ValueId product = node("matmul", {da, weight}, {{"transpose_b", int64_t{1}}});
    const ValueId images =
        node("reshape", {product}, {{"shape", graph.type(activation).shape.dims()}});
    return node("relu_grad", {images, activation});
  }
  void weight_gradients_of(ValueId dy) {
    Attrs attrs = conv;
    attrs.set("shape", shape);
    graph.outputs.push_back(node("conv2d_kernel_grad", {x, dy}, attrs));
    graph.outputs.push_back(node("reduce_sum", {dy}, {{"axis", std::vector<int64_t>{0, 1, 2}}}));
  }
};

TEST_F(ProductsOfImages, NeedNotExistForAWeightGradient) {
  const ValueId y = node("relu", {node("add", {node("conv2d", {x, k}, conv), b})});
  graph.outputs = {y};
  weight_gradients_of(back(w, y));
  const std::string fused = after();
  EXPECT_NE(fused.find("conv2d_kernel_bias_grad_of_product(%0, %1, %4, "), std::string::npos)
      << fused;
  EXPECT_EQ(fused.find("matmul"), std::string::npos) << fused;
  const std::string parts = after({"conv2d_kernel_bias_grad_of_product"});
  EXPECT_NE(parts.find("fused_matmul"), std::string::npos) << parts;
  EXPECT_NE(parts.find("conv2d_kernel_bias_grad("), std::string::npos) << parts;
}

TEST_F(ProductsOfImages, NeedNotExistForAPooledOne) {
  const Attrs pool{{"pool_size", std::vector<int64_t>{2, 2}},
                   {"strides", std::vector<int64_t>{2, 2}},
                   {"padding", std::vector<int64_t>{0, 0, 0, 0}}};
  const auto pooled = nodes("max_pool2d", {node("add", {node("conv2d", {x, k}, conv), b})}, pool);
  const ValueId y = node("relu", {pooled[0]});
  graph.outputs = {y};
  Attrs spread = pool;
  spread.set("shape", std::vector<int64_t>{2, 4, 4, 16});
  weight_gradients_of(node("max_pool2d_grad", {back(pooled_w, y), pooled[1]}, spread));
  const std::string fused = after();
  EXPECT_NE(fused.find("conv2d_kernel_bias_grad_of_product("), std::string::npos) << fused;
  EXPECT_NE(fused.find("pool_size=[2, 2], shape=[3, 3, 1, 16]"), std::string::npos) << fused;
  EXPECT_EQ(fused.find("matmul"), std::string::npos) << fused;
}

TEST_F(ProductsOfImages, StayWhereSomethingElseReadsThem) {
  const ValueId y = node("relu", {node("add", {node("conv2d", {x, k}, conv), b})});
  const ValueId dy = back(w, y);
  graph.outputs = {y, dy};
  weight_gradients_of(dy);
  const std::string done = after();
  EXPECT_EQ(done.find("of_product"), std::string::npos) << done;
}

std::string refusal(const Pass& pass) {
  try {
    const RegisterPass again(pass);
    return "";
  } catch (const Internal& error) {
    return error.what();
  }
}

TEST_F(Passes, HaveNamesOfTheirOwn) {
  const auto same = [](const Graph& given, const Accepts&) { return given; };
  const std::string said = refusal({"simplify", same});
  EXPECT_NE(said.find("two passes are named \"simplify\""), std::string::npos) << said;
  EXPECT_NE(said.find("simplify.cpp:"), std::string::npos) << said;
  EXPECT_NE(said.find("passes_test.cpp:"), std::string::npos) << said;
}

TEST_F(Passes, AreInTheList) {
  const auto same = [](const Graph& given, const Accepts&) { return given; };
  const std::string said = refusal({"another", same});
  EXPECT_NE(said.find("\"another\" is not in the list of src/graph/passes/pipeline.cpp"),
            std::string::npos)
      << said;
}

TEST_F(Passes, AreNamedWhereTheyBreakAGraph) {
  graph.outputs = {graph.add_input({DType::float32, {2}})};
  const Pass broken{"recompute", [](const Graph& given, const Accepts&) {
                      Graph wrong = given;
                      wrong.add_node(find_op("relu"), {wrong.outputs[0]}, {}, "");
                      wrong.nodes[0].inputs = {ValueId{7}};
                      return wrong;
                    }};
  try {
    run_passes(graph, [](const Graph&, const Node&) { return false; }, {broken});
    FAIL() << "nothing was thrown";
  } catch (const Internal& error) {
    EXPECT_NE(
        std::string(error.what()).find("pass \"recompute\" left a broken graph: node 0 (relu)"),
        std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace stoker::graph
