#include "graph/passes/fusion/dense_stack.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exec/traced_step.h"
#include "graph/rewrite.h"
#include "nn/test_models.h"
#include "nn/training/step_losses.h"
#include "stoker/layers/activation.h"
#include "stoker/layers/dense.h"
#include "stoker/layers/dropout.h"
#include "stoker/layers/input_layer.h"
#include "stoker/layers/rescaling.h"
#include "stoker/layers/reshaping.h"
#include "stoker/ops/indexing.h"
#include "stoker/optimizers/adam.h"
#include "stoker/optimizers/sgd.h"

// The pass that replaces the training step of a stack of Dense layers, on steps as traced by fit.
namespace stoker {
namespace {

using layers::Dense;
using layers::Dropout;

using Items = std::vector<Sequential::Item>;

struct Case {
  Items layers;
  CompileArgs compile;
  TensorType x{DType::float32, {64, 20}}, y{DType::int64, {64}};
  int64_t batch = 8;
  bool gathered = true;
};

graph::Graph step_of(const Case& c) {
  Sequential model(c.layers);
  model.compile(c.compile);
  model.fit(Array(c.x.dtype, c.x.shape), Array(c.y.dtype, c.y.shape),
            {.batch_size = c.batch, .verbose = 0, .steps_per_epoch = 1});
  const auto rows = [&](TensorType type) {
    if (!c.gathered) type.shape[0] = c.batch;
    return type;
  };
  std::vector<TensorType> types{{DType::int64, {c.batch}}, rows(c.x), rows(c.y)};
  return exec::trace(
      [&](const std::vector<Tensor>& in) {
        const nn::StepLosses losses;
        const auto take = [&](size_t i) { return c.gathered ? ops::gather(in[i], in[0]) : in[i]; };
        model.train_step({.x = {take(1)}, .y = {take(2)}, .sample_weight = {Tensor()}});
        return std::vector<Tensor>{};
      },
      types);
}

// The step's only node on a device that supports nothing but train_dense_stack; else null.
struct Fused {
  graph::Graph graph;
  explicit Fused(const Case& c)
      : graph(run_passes(step_of(c), [](const graph::Graph&, const graph::Node& node) {
          return node.op->name == "train_dense_stack";
        })) {}
  const graph::Attrs* attrs() const {
    const bool alone = graph.nodes.size() == 1 && graph.nodes[0].op->name == "train_dense_stack";
    return alone ? &graph.nodes[0].attrs : nullptr;
  }
};

Case classifier() {
  return {
      {Input({.shape = {20}}), Dense({.units = 16, .activation = "relu"}),
       Dense({.units = 5, .activation = "softmax"})},
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}}};
}

TEST(DenseStack, AClassifierIsOneNode) {
  const Fused fused(classifier());
  const graph::Attrs* attrs = fused.attrs();
  ASSERT_TRUE(attrs) << fused.graph.to_string();
  EXPECT_EQ(attrs->text("layers"), "16 relu 1 0 0;5 linear 1 0 0");
  EXPECT_EQ(attrs->text("loss"), "sparse_categorical_crossentropy");
  EXPECT_EQ(attrs->text("optimizer"), "adam");
  EXPECT_EQ(attrs->integer("batch"), 8);
  EXPECT_EQ(attrs->integer("inputs"), 20);
  EXPECT_EQ(attrs->integer("states"), 4 * 3 + 1 + 4);
  EXPECT_EQ(attrs->number("loss_scale"), 0.125);
  EXPECT_TRUE(attrs->flag("gathered"));
  EXPECT_TRUE(attrs->flag("accuracy_metric"));
  // The node updates every state except the learning rate.
  size_t changed = 0;
  for (const auto& use : fused.graph.states) changed += use.update != graph::no_value;
  EXPECT_EQ(changed, 17u);
}

TEST(DenseStack, ABatchOfOneAndOneLayer) {
  Case c = classifier();
  c.batch = 1;
  EXPECT_TRUE(Fused(c).attrs());
  c.layers = {Input({.shape = {20}}), Dense({.units = 5, .activation = "softmax"})};
  EXPECT_TRUE(Fused(c).attrs());
}

TEST(DenseStack, BytesAreScaledOnTheWayIn) {
  Case c = classifier();
  c.layers = {Input({.shape = {4, 5}}), layers::Rescaling({.scale = 1.0 / 255}), layers::Flatten(),
              Dense({.units = 5, .activation = "softmax"})};
  c.x = {DType::uint8, {64, 4, 5}};
  c.y = {DType::uint8, {64}};
  const Fused fused(c);
  ASSERT_TRUE(fused.attrs()) << fused.graph.to_string();
  EXPECT_FLOAT_EQ(static_cast<float>(fused.attrs()->number("input_scale")), 1.0f / 255);
  c.layers[1] = layers::Rescaling({.scale = 1.0 / 255, .offset = -0.5});
  EXPECT_FALSE(Fused(c).attrs());
}

TEST(DenseStack, RowsInOrder) {
  Case c = classifier();
  c.gathered = false;
  const Fused fused(c);
  ASSERT_TRUE(fused.attrs()) << fused.graph.to_string();
  EXPECT_FALSE(fused.attrs()->flag("gathered"));
  EXPECT_EQ(fused.attrs()->integer("batch"), 8);
}

TEST(DenseStack, DropoutAndOtherActivations) {
  Case c = classifier();
  c.layers = {Input({.shape = {20}}),
              Dense({.units = 16, .activation = "tanh"}),
              Dropout({.rate = 0.3, .seed = 7}),
              Dense({.units = 8, .activation = "sigmoid", .use_bias = false}),
              Dropout({.rate = 0.5, .seed = 8}),
              Dense({.units = 5, .activation = "softmax"})};
  const Fused fused(c);
  ASSERT_TRUE(fused.attrs()) << fused.graph.to_string();
  EXPECT_EQ(fused.attrs()->text("layers"),
            "16 tanh 1 0.30000001192092896 1;8 sigmoid 0 0.5 1;5 linear 1 0 0");
}

TEST(DenseStack, OtherLosses) {
  Case c = classifier();
  c.y = {DType::float32, {64, 5}};
  c.compile.loss = "categorical_crossentropy";
  EXPECT_TRUE(Fused(c).attrs());
  c.compile.metrics = {};
  for (const char* activation : {"linear", "relu", "sigmoid", "tanh"}) {
    c.layers.back() = Dense({.units = 5, .activation = activation});
    c.compile.loss = "mse";
    const Fused fused(c);
    ASSERT_TRUE(fused.attrs()) << activation << fused.graph.to_string();
    EXPECT_EQ(fused.attrs()->text("layers"), fmt::format("16 relu 1 0 0;5 {} 1 0 0", activation));
  }
  for (int64_t units : {1, 5}) {
    c.y = {DType::float32, {64, units}};
    c.layers.back() = Dense({.units = units, .activation = "sigmoid"});
    c.compile.loss = "binary_crossentropy";
    if (units == 1) c.compile.metrics = {"accuracy"};
    if (units == 5) c.compile.metrics = {};
    EXPECT_TRUE(Fused(c).attrs()) << Fused(c).graph.to_string();
  }
}

TEST(DenseStack, OtherOptimizers) {
  Case c = classifier();
  c.compile.optimizer = "sgd";
  ASSERT_TRUE(Fused(c).attrs());
  EXPECT_EQ(Fused(c).attrs()->integer("moments"), 0);
  for (bool nesterov : {false, true}) {
    c.compile.optimizer =
        optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9, .nesterov = nesterov});
    const Fused fused(c);
    ASSERT_TRUE(fused.attrs()) << fused.graph.to_string();
    EXPECT_FLOAT_EQ(static_cast<float>(fused.attrs()->number("momentum")), 0.9f);
    EXPECT_EQ(fused.attrs()->flag("nesterov"), nesterov);
    EXPECT_EQ(fused.attrs()->integer("moments"), 1);
  }
}

// Steps that the node would not compute exactly are not replaced.
TEST(DenseStack, LeavesOthersAlone) {
  const auto stays = [](const char* what, auto change) {
    Case c = classifier();
    change(c);
    EXPECT_FALSE(Fused(c).attrs()) << what;
  };
  stays("gelu", [](Case& c) { c.layers[1] = Dense({.units = 16, .activation = "gelu"}); });
  stays("a penalty", [](Case& c) {
    c.layers[1] = Dense({.units = 16, .activation = "relu", .kernel_regularizer = "l2"});
  });
  stays("rmsprop", [](Case& c) { c.compile.optimizer = "rmsprop"; });
  stays("weight decay",
        [](Case& c) { c.compile.optimizer = optimizers::Adam({.weight_decay = 0.01}); });
  stays("clipping", [](Case& c) { c.compile.optimizer = optimizers::Adam({.clipnorm = 1}); });
  stays("another metric",
        [](Case& c) { c.compile.metrics = {"sparse_top_k_categorical_accuracy"}; });
  stays("dropped inputs",
        [](Case& c) { c.layers.insert(c.layers.begin() + 1, Dropout({.rate = 0.1})); });
  stays("probabilities that are no softmax",
        [](Case& c) { c.layers[2] = Dense({.units = 5, .activation = "sigmoid"}); });
}

TEST(DenseStack, ADeviceThatRefusesKeepsTheStep) {
  const graph::Graph traced = step_of(classifier());
  const graph::Graph kept =
      run_passes(traced, [](const graph::Graph&, const graph::Node&) { return false; });
  for (const graph::Node& node : kept.nodes) EXPECT_NE(node.op->name, "train_dense_stack");
  EXPECT_GT(kept.nodes.size(), 20u);
}

}  // namespace
}  // namespace stoker
