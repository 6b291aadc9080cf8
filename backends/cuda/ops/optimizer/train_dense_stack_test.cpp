#include <gtest/gtest.h>

#include "ops/node_testing.h"
#include "stoker/error.h"

namespace stoker::cuda {
namespace {

constexpr DType f32 = DType::float32, i64 = DType::int64;

// 20-16-5, Adam, gathered, loss and accuracy: 17 states.
TestedNode classifier(DType x = f32) {
  std::vector<TensorType> states;
  for (int copy = 0; copy < 3; ++copy)
    states.insert(states.end(), {{f32, {20, 16}}, {f32, {16}}, {f32, {16, 5}}, {f32, {5}}});
  states.push_back({i64, {}});
  states.insert(states.end(), 4, {f32, {}});
  std::vector<TensorType> in = states;
  in.insert(in.end(), {{f32, {}}, {x, {64, 20}}, {i64, {64}}, {i64, {8}}});
  TestedNode node("train_dense_stack", in, states);
  node.add("states", static_cast<int64_t>(states.size()));
  node.add("batch", int64_t{8});
  node.add("inputs", int64_t{20});
  node.add("layers", std::string("16 relu 1 0 0;5 linear 1 0 0"));
  node.add("gathered", int64_t{1});
  node.add("input_scale", 1.0);
  node.add("loss", std::string("sparse_categorical_crossentropy"));
  node.add("loss_scale", 0.125);
  node.add("optimizer", std::string("adam"));
  node.add("beta_1", 0.9);
  node.add("beta_2", 0.999);
  node.add("epsilon", 1e-7);
  node.add("loss_metric", int64_t{1});
  node.add("accuracy_metric", int64_t{1});
  return node;
}

// The planner's refusal on a GPU of this kind; empty: it accepts.
std::string refusal(const TestedNode& node, int capability) {
  const Gpu gpu = planned_gpu(capability);
  const GpuScope scope(gpu);
  try {
    const auto kernel = node.describe_to([](const StokerNode& n) { return plan(NodeView(n)); });
    EXPECT_TRUE(kernel->runs_many_steps());
    EXPECT_EQ(kernel->functions.size(), 1u);
    return "";
  } catch (const Unsupported& error) {
    return error.what();
  }
}

TEST(TrainDenseStack, NeedsClustersOfBlocks) {
  EXPECT_EQ(refusal(classifier(), 90), "");
  EXPECT_NE(refusal(classifier(), 80).find("compute capability 8.0 has no clusters of blocks"),
            std::string::npos);
}

TEST(TrainDenseStack, MultipliesInTf32Only) {
  settings().tf32 = false;
  const std::string said = refusal(classifier(), 90);
  settings().tf32 = true;
  EXPECT_NE(said.find("TF32, which is switched off"), std::string::npos) << said;
}

TEST(TrainDenseStack, TakesFloatsAndBytes) {
  EXPECT_EQ(refusal(classifier(DType::uint8), 90), "");
  const std::string said = refusal(classifier(DType::int32), 90);
  EXPECT_NE(said.find("inputs of int32"), std::string::npos) << said;
}

}  // namespace
}  // namespace stoker::cuda
