#include <gtest/gtest.h>

#include "ops/node_testing.h"

namespace stoker::cuda {
namespace {

TestedNode lstm(int64_t units, DType dtype = DType::float32) {
  const TensorType steps{dtype, {7, 64, units}}, gates{dtype, {7, 64, 4 * units}};
  const TensorType state{dtype, {64, units}}, kernel{dtype, {units, 4 * units}};
  return {"lstm", {gates, kernel, state, state}, {steps, state, state, steps, gates}};
}

// The implementation chosen on a GPU of this kind.
std::string chosen(const TestedNode& node, int capability = 90) {
  const Gpu gpu = planned_gpu(capability);
  const GpuScope scope(gpu);
  return node.describe_to([](const StokerNode& n) { return plan(NodeView(n)); })->implementation;
}

TEST(RnnPersistent, IsChosenWhereAClusterHoldsTheWeights) {
  EXPECT_EQ(chosen(lstm(1)), "persistent");
  EXPECT_EQ(chosen(lstm(256)), "persistent");
  EXPECT_EQ(chosen(lstm(2000)), "steps");
}

TEST(RnnPersistent, Float16NeedsHalfTheSharedMemory) {
  EXPECT_EQ(chosen(lstm(512, DType::float32)), "steps");
  EXPECT_EQ(chosen(lstm(512, DType::bfloat16)), "persistent");
}

TEST(RnnPersistent, NeedsClustersOfBlocks) { EXPECT_EQ(chosen(lstm(256), 80), "steps"); }

TEST(RnnPersistent, MultipliesFloatsInTf32Only) {
  settings().tf32 = false;
  const std::string floats = chosen(lstm(256)), half = chosen(lstm(256, DType::float16));
  settings().tf32 = true;
  EXPECT_EQ(floats, "steps");
  EXPECT_EQ(half, "persistent");
}

TEST(RnnPersistent, LeavesFloat64ToTheSteps) {
  EXPECT_EQ(chosen(lstm(256, DType::float64)), "steps");
}

}  // namespace
}  // namespace stoker::cuda
