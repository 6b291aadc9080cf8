#include <gtest/gtest.h>

#include "nn/test_models.h"
#include "stoker/layers/activation.h"
#include "stoker/layers/batch_normalization.h"
#include "stoker/layers/dense.h"
#include "stoker/layers/merging.h"
#include "stoker/layers/reshaping.h"
#include "stoker/model.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/optimizers/sgd.h"

namespace stoker {
namespace {

// Zero vectors are masked: a minimal version of Keras's Masking layer.
struct Steps : Layer {
  Steps() : Layer("Steps") { supports_masking = true; }
  Tensor call(const Tensor& x, const CallArgs&) override { return x * 1.0; }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>&) override {
    return {ops::greater(ops::max(ops::abs(inputs[0]), {.axis = {-1}}), 0.0)};
  }
};

// Outputs the masks that it receives.
struct Seen : Layer {
  Seen() : Layer("Seen") {}
  Tensor call(const Tensor& x, const CallArgs& args) override {
    masked = args.mask().defined();
    return masked ? ops::cast(args.mask(), x.dtype()) : ops::sum(x, {.axis = {-1}});
  }
  bool masked = false;
};

const Array x = Array::from<float>({0, .1f, .2f, .3f, 0, 0, .6f, .7f, 0, 0, 0, 0}, {2, 3, 2});

TEST(Mask, PassesThroughLayersThatSupportIt) {
  const Tensor in = Input({.shape = {3, 2}});
  const Tensor masked = LayerRef(make_layer<Steps>())(in);
  ASSERT_TRUE(masked.mask().defined());
  EXPECT_EQ(masked.mask().shape(), (Shape{unknown, 3}));
  const Tensor on = layers::Activation({.activation = "relu"})(layers::Dense({.units = 4})(masked));
  EXPECT_TRUE(on.mask().defined());
  EXPECT_FALSE(layers::Reshape({.target_shape = {6}})(masked).mask().defined());
  Model model({.inputs = {in}, .outputs = {LayerRef(make_layer<Seen>())(on)}});
  EXPECT_EQ(test::difference(model.predict(x), Array::from<float>({1, 1, 0, 1, 0, 0}, {2, 3})), 0);
}

TEST(Mask, OneGivenGoesBeforeTheOneCarried) {
  const Tensor in = Input({.shape = {3, 2}}),
               given = Input({.shape = {3}, .dtype = DType::boolean});
  const Tensor masked = LayerRef(make_layer<Steps>())(in);
  const Tensor out = LayerRef(make_layer<Seen>())(masked, {.tensors = {{"mask", {given}}}});
  Model model({.inputs = {in, given}, .outputs = {out}});
  const Array mask = Array::from<float>({0, 0, 1, 1, 1, 0}, {2, 3});
  EXPECT_EQ(test::difference(model.predict({x, mask.astype(DType::boolean)}), mask), 0);
}

TEST(Mask, MergedOnesCountWhereAnyDoes) {
  const LayerRef steps = make_layer<Steps>(), add = layers::Add();
  const Array other = Array::from<float>({0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, {2, 3, 2});
  const Tensor both = add(std::vector<Tensor>{steps(x), steps(other)});
  EXPECT_EQ(test::difference(both.mask().array().astype(DType::float32),
                             Array::from<float>({1, 1, 1, 1, 0, 0}, {2, 3})),
            0);
  EXPECT_FALSE(add(std::vector<Tensor>{steps(x), Tensor(other)}).mask().defined());
}

TEST(Mask, ANestedModelTakesAndGivesIt) {
  const Tensor inner = Input({.shape = {3, 2}});
  Model dense({.inputs = {inner}, .outputs = {layers::Dense({.units = 2})(inner)}});
  auto seen = make_layer<Seen>();
  Sequential model({Input({.shape = {3, 2}}), make_layer<Steps>(), dense, seen});
  EXPECT_TRUE(seen->masked);
}

// The expected numbers are Keras's on TensorFlow for the same model, weights and data. (On JAX its
// metrics ignore the mask.)
TEST(Mask, WeighsLossAndMetricsAsInKeras) {
  Sequential model({Input({.shape = {3, 2}}), make_layer<Steps>(),
                    layers::Dense({.units = 1, .kernel_initializer = "ones"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                 .loss = "mse",
                 .metrics = {"mae"},
                 .weighted_metrics = {"mse"}});
  const Logs logs =
      model.train_on_batch(x, Array::from<float>({1, 1, 1, 1, 1, 1}, {2, 3, 1}),
                           {.sample_weight = Array::from<float>({1, 1, 1, 3, 3, 3}, {2, 3})});
  EXPECT_NEAR(*logs.find("loss"), 0.44333332777023315, 1e-6);
  EXPECT_NEAR(*logs.find("mae"), 0.5666666626930237, 1e-6);
  EXPECT_NEAR(*logs.find("mse"), 0.265999972820282, 1e-6);
  const auto weights = model.get_weights();
  EXPECT_NEAR(weights[0].at(0), 0.9706666469573975, 1e-6);
  EXPECT_NEAR(weights[0].at(1), 0.9740000367164612, 1e-6);
  EXPECT_NEAR(weights[1].at(0), 0.03333334997296333, 1e-6);
}

TEST(Mask, KeepsStepsOutOfABatchsStatistics) {
  const LayerRef steps = make_layer<Steps>();
  const LayerRef normalize = layers::BatchNormalization({.momentum = 0.5});
  const Array y = normalize(steps(x), {.training = true}).array();
  const std::vector<double> wanted{-1.0605566501617432, -1.0605565309524536, -0.26513922214508057,
                                   -0.265139102935791,  -1.0605566501617432, -1.4582653045654297,
                                   1.3256957530975342,  1.3256957530975342};
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(y.at(static_cast<int64_t>(i)), wanted[i], 1e-5) << i;
  const auto weights = normalize->get_weights();
  EXPECT_NEAR(weights[2].at(0), 0.13333334028720856, 1e-6);
  EXPECT_NEAR(weights[2].at(1), 0.18333333730697632, 1e-6);
  EXPECT_NEAR(weights[3].at(0), 0.5311111211776733, 1e-6);
}

}  // namespace
}  // namespace stoker
