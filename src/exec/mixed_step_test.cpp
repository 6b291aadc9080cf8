#include <gtest/gtest.h>

#include "exec/eager.h"
#include "exec/traced_step.h"
#include "stoker/ops/all_finite.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/update.h"
#include "support/compare.h"
#include "support/random_values.h"

// Mixed-precision steps: float32 weights, scaled 16-bit gradients, and steps that may be skipped.
namespace stoker::exec {
namespace {

using testing::near;
using testing::random_values;

Array floats(const Shape& shape, uint64_t seed) {
  return random_values(shape, seed).astype(DType::float32);
}

struct States {
  Variable w{floats({24, 16}, 1), "w"}, m{Array(DType::float32, {24, 16}), "m", false},
      v{Array(DType::float32, {24, 16}), "v", false};
  std::vector<Variable> all() const { return {w, m, v}; }
};

// Inputs: x, dy, the scale. Output: whether the step was applied.
TracedStep::Body step_in(DType half, const States& s) {
  return [half, s](const std::vector<Tensor>& in) {
    const Tensor x = ops::cast(in[0], half), dy = ops::cast(in[1] * in[2], half);
    const Tensor gradient = ops::cast(ops::matmul(x, dy, {.transpose_a = true}), DType::float32);
    const Tensor finite = ops::all_finite({gradient});
    const auto now =
        ops::adam_update(s.w, s.m, s.v, gradient / in[2], Tensor(Array::scalar(0.01f)), {});
    for (size_t i = 0; i < 3; ++i) s.all()[i].assign(ops::where(finite, now[i], s.all()[i]));
    return std::vector<Tensor>{finite};
  };
}

class MixedStep : public ::testing::TestWithParam<DType> {};

// As in fit: samples are gathered by indices and converted to float16.
TEST_P(MixedStep, TakesRowsAsFloat16) {
  for (int64_t columns : {5, 8}) {
    const auto body = [](const std::vector<Tensor>& in) {
      const Tensor rows = ops::cast(ops::gather(in[0], in[2]), GetParam());
      return std::vector<Tensor>{rows, ops::gather(in[1], in[2])};
    };
    const std::vector<Tensor> in{floats({30, columns}, 5), floats({30}, 6),
                                 Array::from<int64_t>({29, 0, 7, 7, 12}, {5})};
    TracedStep step(body);
    const auto got = run_on_tensors(*step.step_for({in[0].type(), in[1].type(), in[2].type()}), in);
    const auto wanted = body(in);
    for (size_t i = 0; i < 2; ++i)
      EXPECT_TRUE(near(got[i].array(), wanted[i].array(), {0, 0})) << i;
  }
}

TEST_P(MixedStep, CompiledAgreesWithOpByOpAndSkipsOverflows) {
  const States fused, plain;
  TracedStep step(step_in(GetParam(), fused));
  const auto body = step_in(GetParam(), plain);
  for (const float scale : {1.0f, 1024.0f, 3e38f, 8.0f}) {  // the third one overflows
    const std::vector<Tensor> in{floats({40, 24}, 5), floats({40, 16}, 6), Array::scalar(scale)};
    const auto before = fused.w.array().clone();
    const Tensor counts =
        run_on_tensors(*step.step_for({in[0].type(), in[1].type(), in[2].type()}), in)[0];
    EXPECT_EQ(counts.item() != 0, scale < 1e38f);
    EXPECT_EQ(body(in)[0].item(), counts.item());
    EXPECT_EQ(near(fused.w.array(), before, {0, 0}), scale > 1e38f) << scale;
    for (size_t i = 0; i < 3; ++i)
      EXPECT_TRUE(near(fused.all()[i].array(), plain.all()[i].array(), {1e-4, 1e-6})) << i;
  }
}

// The float32 gradient is never written, and states are updated in place.
TEST_P(MixedStep, StepsInPlaceFromTheHalfGradient) {
  const States states;
  TracedStep step(step_in(GetParam(), states));
  const auto& compiled = *step.step_for(
      {{DType::float32, {40, 24}}, {DType::float32, {40, 16}}, {DType::float32, {}}});
  const std::string text = compiled.graph().to_string();
  EXPECT_NE(text.find("adam_update_if("), std::string::npos) << text;
  EXPECT_EQ(text.find("select"), std::string::npos) << text;
  EXPECT_EQ(text.find("matmul_adam"), std::string::npos) << text;
  for (const graph::Node& node : compiled.graph().nodes)
    if (node.op->name == "adam_update_if") {
      EXPECT_EQ(compiled.graph().type(node.inputs[3]).dtype, GetParam()) << text;
    }
}

INSTANTIATE_TEST_SUITE_P(Types, MixedStep, ::testing::Values(DType::float16, DType::bfloat16),
                         [](const auto& given) { return std::string(name_of(given.param)); });

}  // namespace
}  // namespace stoker::exec
