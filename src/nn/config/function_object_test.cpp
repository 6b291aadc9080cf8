#include "nn/config/function_object.h"

#include <gtest/gtest.h>

#include "stoker/io.h"
#include "stoker/loss.h"
#include "stoker/metric.h"

namespace stoker {
namespace {

// As Keras 3 writes them.
const Config huber = parse_json(R"({"module": "builtins", "class_name": "function",
    "config": "huber", "registered_name": "function"})");
const Config wrapped_loss = parse_json(R"({"module": "keras.src.losses.losses",
    "class_name": "LossFunctionWrapper", "config": {"name": "h", "reduction": "sum", "fn":
    {"module": "builtins", "class_name": "function", "config": "huber",
     "registered_name": "function"}, "delta": 2.0}, "registered_name": "LossFunctionWrapper"})");
const Config wrapped_metric = parse_json(R"({"module": "keras.metrics",
    "class_name": "MeanMetricWrapper", "config": {"name": "h", "dtype": "float32", "fn":
    {"module": "builtins", "class_name": "function", "config": "huber",
     "registered_name": "function"}, "delta": 2.0}, "registered_name": null})");

const Array y = Array::from<float>({0, 0}, {2, 1}), p = Array::from<float>({3, 1}, {2, 1});

TEST(FunctionObject, ALossMayBeAFunctionWithArguments) {
  EXPECT_NEAR(LossRef(huber)(y, p).item(), (2.5 + 0.5) / 2, 1e-6);
  const LossRef loss(wrapped_loss);
  EXPECT_NEAR(loss(y, p).item(), 4 + 0.5, 1e-6);
  EXPECT_EQ(loss->name(), "h");
}

TEST(FunctionObject, AMetricMayBeALossFunction) {
  for (const auto& [config, name, want] :
       {std::tuple{huber, "huber", 1.5}, {wrapped_metric, "h", 2.25}}) {
    const auto metric = MetricRef(config).make({}, {});
    metric->update_state(y, p);
    EXPECT_NEAR(metric->result().item(), want, 1e-6);
    EXPECT_EQ(metric->name(), name);
  }
}

TEST(FunctionObject, AMetricsFunctionIsTheMetric) {
  const Config mse = parse_json(R"({"class_name": "function", "config": "mean_squared_error"})");
  EXPECT_EQ(MetricRef(mse).make({}, {})->class_name(), "MeanSquaredError");
}

}  // namespace
}  // namespace stoker
