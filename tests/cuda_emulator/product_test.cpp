#include "run_node.h"

// Matrix products on tensor cores, compared with the reference.
namespace stoker::cuda {
namespace {

struct Sizes {
  int64_t m, n, k;
};

TensorType floats(const Shape& shape) { return {DType::float32, shape}; }

// All but the two matrices: positive, as the second moments of Adam are.
std::vector<Values> inputs_of(const TestedNode& node) {
  auto inputs = random_inputs(node);
  for (size_t i = 2; i < inputs.size(); ++i)
    inputs[i] = random_floats(node.in()[i], static_cast<unsigned int>(i), 0.1f);
  return inputs;
}

// A missing or doubled product is about ten times the tolerance.
void expect_same(const TestedNode& node, float tolerance = 4e-3f) {
  expect_agreement(node, "tensor_tiles", inputs_of(node), tolerance);
}

TestedNode product(const char* op, const Sizes& s, bool ta, bool tb,
                   const std::vector<TensorType>& rest, const std::vector<TensorType>& out) {
  std::vector<TensorType> in{floats(ta ? Shape{s.k, s.m} : Shape{s.m, s.k}),
                             floats(tb ? Shape{s.n, s.k} : Shape{s.k, s.n})};
  in.insert(in.end(), rest.begin(), rest.end());
  TestedNode node(op, in, out);
  node.add("transpose_a", int64_t{ta});
  node.add("transpose_b", int64_t{tb});
  return node;
}

TestedNode forward(const Sizes& s) {
  TestedNode node = product("fused_matmul", s, false, false, {floats({s.n})}, {floats({s.m, s.n})});
  node.add("bias", int64_t{1});
  node.add("activation", std::string("relu"));
  return node;
}
TestedNode back_to_input(const Sizes& s) {
  const TensorType c = floats({s.m, s.n});
  TestedNode node = product("fused_matmul", s, false, true, {c}, {c});
  node.add("mask", int64_t{1});
  return node;
}
TestedNode step_of_weights(const Sizes& s, bool with_bias) {
  const TensorType w = floats({s.m, s.n}), row = floats({s.n}), one = floats({});
  const std::vector<TensorType> rest{w, w, w, one, row, row, row}, out{w, w, w, row, row, row};
  TestedNode node = with_bias ? product("matmul_adam_bias", s, true, false, rest, out)
                              : product("matmul_adam", s, true, false, {w, w, w, one}, {w, w, w});
  node.add("beta_1", 0.1);  // the new moment is most of the product
  node.add("beta_2", 0.999);
  node.add("epsilon", 1e-7);
  return node;
}

// The layers of two small networks, with batches that lead to different tilings.
TEST(TensorProduct, AgreesWithPlainCode) {
  expect_same(forward({5, 10, 3000}));  // split-k
  for (const int64_t batch : {1, 17, 200}) {
    SCOPED_TRACE(batch);
    expect_same(forward({batch, 128, 200}));
    expect_same(forward({batch, 10, 128}));
    expect_same(forward({batch, 33, 49}));
    expect_same(back_to_input({batch, 128, 10}));
    expect_same(back_to_input({batch, 49, 33}));
  }
}

// Large tiles, and long k with large rounding errors.
TEST(TensorProduct, AgreesWithPlainCodeInLargeTiles) {
  const Sizes sizes{130, 140, 8300};
  expect_same(product("matmul", sizes, true, false, {}, {floats({sizes.m, sizes.n})}), 2e-2f);
}

TEST(TensorProduct, StepsWeightsAsPlainCodeDoes) {
  for (const int64_t batch : {1, 17, 700}) {
    SCOPED_TRACE(batch);
    for (const bool with_bias : {false, true}) {
      expect_same(step_of_weights({128, 10, batch}, with_bias));
      expect_same(step_of_weights({49, 33, batch}, with_bias));
      expect_same(step_of_weights({70, 128, batch}, with_bias));
    }
  }
}

}  // namespace
}  // namespace stoker::cuda
