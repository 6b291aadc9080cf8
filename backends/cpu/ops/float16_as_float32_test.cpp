#include <gtest/gtest.h>

#include <cmath>

#include "core/half.h"
#include "ops/node_testing.h"

namespace stoker::cpu {
namespace {

std::vector<uint16_t> bfloats(size_t n, float value) {
  return std::vector<uint16_t>(n, float_to_bfloat16(value));
}
TensorType half(std::vector<int64_t> dims) { return {DType::bfloat16, Shape(std::move(dims))}; }

// An accumulator in bfloat16 would stop at 256.
TEST(Widened, ProductsAddUpInFloat32) {
  TestNode node("matmul", {half({1, 4096}), half({4096, 1})}, {half({1, 1})});
  const auto out = node.run({bytes_of(bfloats(4096, 1)), bytes_of(bfloats(4096, 1))});
  EXPECT_EQ(bfloat16_to_float(values_of<uint16_t>(out[0])[0]), 4096);
  EXPECT_STREQ(node.plan()->implementation, "in_float32");
}

// adam_update in place: all operands are read before anything is written.
TEST(Widened, WorksInPlace) {
  TestNode node("adam_update", {half({3}), half({3}), half({3}), half({3}), half({})},
                {half({3}), half({3}), half({3})});
  node.with("beta_1", 0.5).with("beta_2", 0.5).with("epsilon", 0.0);
  auto w = bfloats(3, 4), m = bfloats(3, 0), v = bfloats(3, 0), g = bfloats(3, 2),
       step = bfloats(1, 1);
  node.run_on({w.data(), m.data(), v.data(), g.data(), step.data(), w.data(), m.data(), v.data()});
  EXPECT_EQ(bfloat16_to_float(m[2]), 1);
  EXPECT_EQ(bfloat16_to_float(v[2]), 2);
  EXPECT_EQ(w[2], float_to_bfloat16(4 - 1 / std::sqrt(2.0f)));
}

TEST(Widened, LeavesOthersTheirOwnRefusals) {
  TestNode node("matmul", {{DType::int32, {2, 2}}, {DType::int32, {2, 2}}},
                {{DType::int32, {2, 2}}});
  try {
    node.plan();
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_EQ(std::string(error.what()).find("in_float32"), std::string::npos) << error.what();
  }
}

// Each instruction rounds, so that a fused chain equals its separate ops bit for bit.
TEST(ElementwiseFloat16, RoundAfterEachInstruction) {
  TestNode node("fused_elementwise", {half({2}), half({})}, {half({2}), half({2})});
  node.with("program",
            "add:bfloat16 0 1;subtract:bfloat16 2 1;greater:bool 3 0;select:bfloat16 4 0 3")
      .with("results", std::vector<int64_t>{3, 5})
      .with("shape", std::vector<int64_t>{2});
  const auto out = node.run({bytes_of(bfloats(2, 0.75f)), bytes_of(bfloats(1, 256))});
  EXPECT_EQ(bfloat16_to_float(values_of<uint16_t>(out[0])[1]), 0);  // 256.75 rounds to 256
  EXPECT_EQ(bfloat16_to_float(values_of<uint16_t>(out[1])[1]), 0);
}

}  // namespace
}  // namespace stoker::cpu
