#include "nn/test_models.h"
#include "stoker/ops/shape_ops.h"

namespace stoker {
namespace {

using namespace test;

struct Sum : Layer {
  Sum() : Layer("Sum") {}
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs&) override {
    return {inputs.at(0) + inputs.at(1)};
  }
};

struct Scale : Layer {
  Scale() : Layer("Scale") {}
  void build(const Shape& input) override {
    factor = add_weight("factor", {.shape = {input.back()}, .initializer = "ones"});
  }
  Tensor call(const Tensor& x, const CallArgs&) override { return x * factor; }
  Variable factor;
};

Model two_in_two_out() {
  set_random_seed(8);
  const Tensor left = Input({.shape = {features}}), right = Input({.shape = {features}});
  const LayerRef shared = layers::Dense({.units = 5, .activation = "tanh", .name = "shared"});
  const Tensor both = LayerRef(make_layer<Sum>())({shared(left), shared(right)});
  return Model(Model::FunctionalArgs{
      .inputs = {left, right},
      .outputs = {layers::Dense({.units = classes, .activation = "softmax", .name = "kind"})(both),
                  layers::Dense({.units = 1, .name = "amount"})(both)}});
}

TEST(Model, TrainsSeveralInputsAndOutputsWithASharedLayer) {
  Model model = two_in_two_out();
  EXPECT_EQ(model.weights().size(), 6u);  // the shared layer's once
  const auto data = samples(60);
  const Array other = random_array({60, features}, 2), amount = random_array({60, 1}, 3);
  model.compile({.optimizer = "adam",
                 .loss = {"sparse_categorical_crossentropy", squared_error},
                 .loss_weights = {1, 0.5},
                 .output_metrics = {{"accuracy"}, {}}});
  const auto history =
      model.fit({data.x, other}, {data.y, amount}, {.batch_size = 30, .epochs = 8, .verbose = 0});
  std::vector<std::string> names;
  for (const auto& [name, values] : history.history) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"amount_loss", "kind_accuracy", "kind_loss", "loss"}));
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  EXPECT_NEAR(history["loss"][0], history["kind_loss"][0] + 0.5 * history["amount_loss"][0], 1e-5);
  const auto outputs = model.predict_all({data.x, other}, {.batch_size = 25});
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].shape(), (Shape{60, classes}));
  EXPECT_EQ(outputs[1].shape(), (Shape{60, 1}));
  EXPECT_ERROR(model.predict({data.x, other}), "has 2 outputs");
}

TEST(Model, AModelInAModelIsTheSameNetwork) {
  auto flat = classifier();
  Sequential inner(
      {Input({.shape = {features}}), layers::Dense({.units = 8, .activation = "relu"})});
  Sequential outer({Input({.shape = {features}}), inner,
                    layers::Dense({.units = classes, .activation = "softmax"})});
  outer.compile({.optimizer = optimizers::Adam({.learning_rate = 0.05}),
                 .loss = {"sparse_categorical_crossentropy"}});
  outer.set_weights(flat.get_weights());
  const auto data = samples(40);
  for (Model* model : {static_cast<Model*>(&flat), static_cast<Model*>(&outer)})
    model->fit(data.x, data.y, {.epochs = 2, .verbose = 0, .shuffle = false});
  EXPECT_EQ(difference(flat.get_weights(), outer.get_weights()), 0);
}

TEST(Model, TakesBytesAsTheyAre) {
  auto model = classifier();
  Array bytes(DType::uint8, {10, features});
  for (size_t i = 0; i < 10 * features; ++i)
    bytes.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i * 37);
  EXPECT_EQ(difference(model.predict(bytes), model.predict(bytes.astype(DType::float32))), 0);
  auto same = classifier();
  const Array labels = samples(10).y;
  model.fit(bytes, labels, {.verbose = 0, .shuffle = false});
  same.fit(bytes.astype(DType::float32), labels, {.verbose = 0, .shuffle = false});
  EXPECT_EQ(difference(model.get_weights(), same.get_weights()), 0);
}

TEST(Model, PredictsTheSameInAnyBatchSize) {
  auto model = classifier();
  const auto data = samples(23);
  const Array all = model.predict(data.x, {.batch_size = 100});
  EXPECT_LT(difference(model.predict(data.x, {.batch_size = 5}), all), 1e-6);
  EXPECT_LT(difference(model.predict_on_batch(data.x), all), 1e-6);
  EXPECT_EQ(model.predict(data.x, {.batch_size = 5, .steps = 2}).length(), 10);
}

TEST(Model, EvaluatesTheSameInAnyBatchSize) {
  auto model = classifier();
  const auto data = samples(23);
  const Logs all = model.evaluate(data.x, data.y, {.batch_size = 100, .verbose = 0});
  const Logs parts = model.evaluate(data.x, data.y, {.batch_size = 5, .verbose = 0});
  EXPECT_NEAR(*all.find("loss"), *parts.find("loss"), 1e-6);
  EXPECT_NEAR(*all.find("accuracy"), *parts.find("accuracy"), 1e-6);
}

TEST(Model, BatchMetricsAccumulateUntilReset) {
  auto model = classifier();
  const auto data = samples(30);
  const auto test = [&](int64_t from, int64_t to) {
    return *model.test_on_batch(data.x.rows(from, to), data.y.rows(from, to)).find("loss");
  };
  const double first = test(0, 10), both = test(10, 30);
  model.reset_metrics();
  const double second = test(10, 30);
  EXPECT_NEAR(both, (first * 10 + second * 20) / 30, 1e-6);
  EXPECT_GT(std::abs(first - second), 1e-4);
}

TEST(Model, TrainsALayerOfYourOwn) {
  const auto scale = make_layer<Scale>();
  Sequential model({Input({.shape = {features}}), scale});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.1}), .loss = {squared_error}});
  const Array x = random_array({64, features});
  Array y = x.clone();
  for (float& value : y.mutable_data<float>()) value *= 3;
  model.fit(x, y, {.epochs = 60, .verbose = 0});
  for (int64_t i = 0; i < features; ++i) EXPECT_NEAR(scale->factor.array().at(i), 3, 0.05);
}

TEST(Model, AFrozenLayerKeepsItsWeights) {
  auto model = classifier();
  model.layers()[0]->set_trainable(false);
  const auto before = model.get_weights();
  const auto data = samples(20);
  model.fit(data.x, data.y, {.verbose = 0});
  const auto after = model.get_weights();
  EXPECT_EQ(difference(before[0], after[0]), 0);
  EXPECT_GT(difference(before[2], after[2]), 0);
}

TEST(LayerNames, AreUniqueInAModelAsInKeras) {
  const auto dense = [](const char* name) { return layers::Dense({.units = 2, .name = name}); };
  const auto expect_refused = [](auto&& make) {
    try {
      make();
      FAIL() << "accepted";
    } catch (const InvalidArgument& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("\"a\""), said.npos) << said;
      EXPECT_NE(said.find("Dense"), said.npos) << said;
    }
  };
  expect_refused([&] { Sequential({Input({.shape = {2}}), dense("a"), dense("a")}); });
  expect_refused([&] { Sequential({dense("a"), dense("a")}); });
  expect_refused([&] { Sequential({Input({.shape = {2}, .name = "a"}), dense("a")}); });
  const Tensor in = Input({.shape = {2}, .name = "in"});
  expect_refused([&] { Model({.inputs = {in}, .outputs = {dense("a")(in), dense("a")(in)}}); });

  const LayerRef shared = dense("shared");
  EXPECT_NO_THROW(Model({.inputs = {in}, .outputs = {shared(shared(in))}}));
  EXPECT_NO_THROW(Sequential({Input({.shape = {2}}), shared, shared}));
  // Names must be unique within one model; a nested model has its own.
  const LayerRef inside = Sequential({Input({.shape = {2}}), dense("a")}, "inside");
  EXPECT_NO_THROW(Model({.inputs = {in}, .outputs = {dense("a")(inside(in))}}));
}

}  // namespace
}  // namespace stoker
