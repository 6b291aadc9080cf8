#include "nn/test_models.h"
#include "stoker/metrics/mean_absolute_error.h"

namespace stoker {
namespace {

using namespace test;

// Two outputs of one input: "a" has weights of 0.5, "b" of 2.
Model two_outputs() {
  const Tensor x = Input({.shape = {2}});
  const auto output = [&](const char* name, float weight) {
    const LayerRef layer = layers::Dense({.units = 1, .use_bias = false, .name = name});
    const Tensor y = layer(x);
    layer->set_weights({Array::from<float>({weight, weight}, {2, 1})});
    return y;
  };
  return Model({.inputs = {x}, .outputs = {output("a", 0.5F), output("b", 2)}});
}

const Array x = Array::from<float>({1, 2, 3, 4}, {2, 2});
const Array a = Array::from<float>({1, 2}, {2, 1}), b = Array::from<float>({5, 10}, {2, 1});
// a's outputs are 1.5 and 3.5: errors 0.5 and 1.5; b's are 6 and 14: errors 1 and 4.

Logs evaluate(const CompileArgs& args, const Arrays& weights = {}) {
  auto model = two_outputs();
  model.compile(args);
  return model.evaluate(x, {a, b}, {.verbose = 0, .sample_weight = weights});
}
double value(const Logs& logs, const std::string& name) {
  const double* found = logs.find(name);
  EXPECT_TRUE(found) << name;
  return found ? *found : 0;
}

TEST(SeveralOutputs, ListsGoByPlaceAndMapsByName) {
  const CompileArgs by_place{
      .loss = {"mse", "mae"}, .loss_weights = {1, 10}, .metrics = {"mae", "mse"}};
  const CompileArgs by_name{.loss_by_output = {{"b", "mae"}, {"a", "mse"}},
                            .loss_weights_by_output = {{"a", 1}, {"b", 10}},
                            .metrics_by_output = {{"b", {"mse"}}, {"a", {"mae"}}}};
  for (const auto& args : {by_place, by_name}) {
    const Logs logs = evaluate(args);
    EXPECT_NEAR(value(logs, "a_loss"), 1.25, 1e-5);
    EXPECT_NEAR(value(logs, "b_loss"), 2.5, 1e-5);
    EXPECT_NEAR(value(logs, "loss"), 26.25, 1e-4);
    EXPECT_NEAR(value(logs, "a_mae"), 1, 1e-5);
    EXPECT_NEAR(value(logs, "b_mse"), 8.5, 1e-5);
    EXPECT_EQ(logs.size(), 5u);
  }
}

TEST(SeveralOutputs, AnOutputWithoutALossHasNone) {
  const Logs logs = evaluate({.loss = {LossRef(), "mae"}});
  EXPECT_NEAR(value(logs, "loss"), 2.5, 1e-5);
  EXPECT_EQ(logs.size(), 1u);  // with one loss there is no separate total
}

TEST(SeveralOutputs, WeightsWeighWeightedMetricsAndOneIsForAll) {
  const CompileArgs args{.loss = "mae",
                         .output_metrics = {{"mae"}, {}},
                         .output_weighted_metrics = {{"mae"}, {"mae", "mae"}}};
  const Logs logs = evaluate(args, Array::from<float>({1, 3}, {2}));
  EXPECT_NEAR(value(logs, "a_loss"), (0.5 + 4.5) / 2, 1e-5);
  EXPECT_NEAR(value(logs, "b_loss"), (1 + 12) / 2.0, 1e-5);
  EXPECT_NEAR(value(logs, "a_mae"), 1, 1e-5);
  EXPECT_NEAR(value(logs, "a_weighted_mae"), 5.0 / 4, 1e-5);
  EXPECT_NEAR(value(logs, "b_mae"), 13.0 / 4, 1e-5);
  EXPECT_NEAR(value(logs, "b_weighted_mae"), 13.0 / 4, 1e-5);
}

TEST(SeveralOutputs, WeightsMayBeForOneOutputAlone) {
  const Logs logs = evaluate({.loss = "mae"}, {Array(), Array::from<float>({0, 1}, {2})});
  EXPECT_NEAR(value(logs, "a_loss"), 1, 1e-5);
  EXPECT_NEAR(value(logs, "b_loss"), 2, 1e-5);
}

TEST(SeveralOutputs, MetricObjectsKeepTheirNames) {
  const auto metric = metrics::MeanAbsoluteError({.name = "error"});
  auto model = two_outputs();
  model.compile({.loss = "mse", .output_metrics = {{metric}, {}}});
  model.memory(x, {a, b});  // traces, too
  const Logs logs = model.evaluate(x, {a, b}, {.verbose = 0});
  EXPECT_NEAR(value(logs, "a_error"), 1, 1e-5);
  EXPECT_EQ(metric->name(), "error");
}

TEST(SeveralOutputs, WhatDoesNotFitIsNamed) {
  EXPECT_ERROR(evaluate({.loss = {"mse", "mse", "mse"}}), "3 losses for 2 outputs");
  EXPECT_ERROR(evaluate({.loss_by_output = {{"c", "mse"}}}), "\"c\", which is not an output");
  EXPECT_ERROR(evaluate({.loss = "mse", .loss_weights = {1}}), "1 loss_weights for 2 outputs");
  EXPECT_ERROR(evaluate({.loss = "mse", .metrics = {"mae"}}), "1 metrics for 2 outputs");
}

}  // namespace
}  // namespace stoker
