#include "stoker/layers/attention.h"

#include <gtest/gtest.h>

#include "stoker/error.h"
#include "stoker/gradient_tape.h"
#include "stoker/layers/einsum_dense.h"
#include "stoker/ops/attention.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "support/random_values.h"

// What the differential cases do not cover: dropout, inputs by name, errors.
namespace stoker {
namespace {

Array values(const Shape& shape, uint64_t seed) {
  return testing::random_values(shape, seed).astype(DType::float32);
}
bool same(const Tensor& a, const Tensor& b) {
  const Array x = a.array(), y = b.array();
  for (int64_t i = 0; i < x.size(); ++i)
    if (std::abs(x.at(i) - y.at(i)) > 1e-6) return false;
  return x.shape() == y.shape();
}
const Array q = values({2, 5, 4}, 1), v = values({2, 6, 4}, 2), k = values({2, 6, 4}, 3);

TEST(MultiHeadAttention, DropsWeightsInTrainingOnly) {
  const LayerRef layer = layers::MultiHeadAttention({.num_heads = 2, .key_dim = 3, .dropout = 0.5});
  const Tensor plain = layer({q, v});
  EXPECT_TRUE(same(plain, layer({q, v})));
  const Tensor dropped = layer({q, v}, {.training = true});
  EXPECT_FALSE(same(plain, dropped));
  EXPECT_FALSE(same(dropped, layer({q, v}, {.training = true})));
}

TEST(MultiHeadAttention, TakesItsInputsByNameToo) {
  const LayerRef layer = layers::MultiHeadAttention({.num_heads = 2, .key_dim = 3});
  const Tensor by_place = layer({q, v, k});
  EXPECT_TRUE(same(by_place, layer({q, v}, {.tensors = {{"key", {k}}}})));
  EXPECT_FALSE(same(by_place, layer({q, v})));
}

TEST(MultiHeadAttention, OneOpAndItsPartsAgree) {
  const LayerRef layer = layers::MultiHeadAttention({.num_heads = 2, .key_dim = 3});
  const Config shown = Config::map({{"return_attention_scores", true}, {"use_causal_mask", true}});
  const Config alone = Config::map({{"use_causal_mask", true}});
  EXPECT_TRUE(
      same(layer({q, q}, {.options = alone}), layer.call_all({q, q}, {.options = shown})[0]));
}

// Adam would turn rounding errors into full steps.
TEST(DotProductAttention, TheOnlyKeyHasNoGradient) {
  const Tensor query = values({2, 5, 3, 33}, 4), key = values({2, 1, 3, 33}, 5),
               value = values({2, 1, 3, 33}, 6);
  GradientTape tape;
  const Tensor loss = ops::sum(ops::square(ops::dot_product_attention(query, key, value)));
  const auto gradients = tape.gradient(loss, std::vector{query, key, value});
  EXPECT_EQ(ops::max(ops::abs(gradients[0])).array().at(0), 0);
  EXPECT_EQ(ops::max(ops::abs(gradients[1])).array().at(0), 0);
  EXPECT_TRUE(same(gradients[2], value * 10.0));
}

TEST(GroupQueryAttention, WithAsManyHeadsOnBothSidesIsMultiHead) {
  const LayerRef grouped =
      layers::GroupQueryAttention({.head_dim = 3, .num_query_heads = 2, .num_key_value_heads = 2});
  const LayerRef heads = layers::MultiHeadAttention({.num_heads = 2, .key_dim = 3});
  grouped({q, v}), heads({q, v});
  heads->set_weights(grouped->get_weights());
  EXPECT_TRUE(same(grouped({q, v}), heads({q, v})));
}

TEST(GroupQueryAttention, IsNamedAsKerasNamesIt) {
  const LayerRef layer =
      layers::GroupQueryAttention({.head_dim = 3, .num_query_heads = 2, .num_key_value_heads = 1});
  EXPECT_TRUE(layer->name().starts_with("grouped_query_attention")) << layer->name();
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
#define EXPECT_REFUSED(call, part) EXPECT_NE(refusal([&] { call; }).find(part), std::string::npos)

TEST(AttentionErrors, NameWhatIsWrong) {
  EXPECT_REFUSED(layers::Attention({.score_mode = "cosine"}), "got \"cosine\"");
  EXPECT_REFUSED(layers::Attention()(std::vector<Tensor>{q}), "got 1 inputs");
  EXPECT_REFUSED(layers::MultiHeadAttention({.num_heads = 0, .key_dim = 2}), "num_heads");
  EXPECT_REFUSED(layers::MultiHeadAttention({.num_heads = 2, .key_dim = 2})(std::vector<Tensor>{q}),
                 "a value");
  EXPECT_REFUSED(
      layers::GroupQueryAttention({.head_dim = 2, .num_query_heads = 3, .num_key_value_heads = 2}),
      "3 query heads");
}

TEST(EinsumDenseErrors, NameTheEquation) {
  const auto dense = [](const std::string& equation, const Shape& output) {
    return layers::EinsumDense({.equation = equation, .output_shape = output});
  };
  EXPECT_REFUSED(dense("abc", {3})(q), "\"abc\"");
  EXPECT_REFUSED(dense("ab,bc->ac", {3})(q), "3 axes");
  EXPECT_REFUSED(dense("abc,cd->abd", {3})(q), "output_shape");
  EXPECT_REFUSED(dense("abc,cd->abd", {7, 3})(q), "7 for \"b\", the input 5");
}

}  // namespace
}  // namespace stoker
