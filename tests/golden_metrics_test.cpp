#include "stoker/function.h"
#include "stoker/metric.h"
#include "stoker/metrics.h"
#include "support/relative.h"

namespace stoker {
namespace {

void update(Metric& metric, const golden::Group& group, const Config& u) {
  const auto tensor = [&](const char* field) {
    const Array array = group.array(u, field);
    return array.defined() ? Tensor(array) : Tensor();
  };
  if (u.find("values"))
    metric.update_state(tensor("values"), {}, tensor("sample_weight"));
  else
    metric.update_state(tensor("y_true"), tensor("y_pred"), tensor("sample_weight"));
}

TEST(GoldenMetrics, ResultsAfterEachUpdateAreKeras) {
  const auto group = golden::load("metrics");
  ASSERT_GT(group.cases().size(), 20u);
  for (const Config& c : group.cases()) {
    const auto metric = MetricRef(golden::object_of(c)).make({}, {});
    for (const Config& u : c.find("updates")->as_list()) {
      update(*metric, group, u);
      const double want = u.find("result")->as_double();
      EXPECT_NEAR(metric->result().item(), want, 1e-5 * std::max(1e-3, std::abs(want)))
          << golden::id(c);
    }
    metric->reset_state();
    EXPECT_EQ(metric->result().item(), 0) << golden::id(c);
  }
}

TEST(GoldenMetrics, TracedIsTheSame) {
  const auto group = golden::load("metrics");
  for (const Config& c : group.cases()) {
    const auto metric = MetricRef(golden::object_of(c)).make({}, {});
    for (const Config& u : c.find("updates")->as_list()) {
      const auto step = function([&] { update(*metric, group, u); });
      step();
      const double want = u.find("result")->as_double();
      EXPECT_NEAR(metric->result().item(), want, 1e-5 * std::max(1e-3, std::abs(want)))
          << golden::id(c);
    }
  }
}

std::string chosen(const char* name, const Shape& y_true, const Shape& y_pred) {
  const auto metric = MetricRef(name).make({DType::float32, y_true}, {DType::float32, y_pred});
  EXPECT_EQ(metric->name(), name);
  return metric->class_name();
}

TEST(Metrics, AccuracyAndCrossentropyFollowTheShapes) {
  EXPECT_EQ(chosen("accuracy", {8}, {8, 10}), "SparseCategoricalAccuracy");
  EXPECT_EQ(chosen("acc", {8, 1}, {8, 10}), "SparseCategoricalAccuracy");
  EXPECT_EQ(chosen("accuracy", {8, 10}, {8, 10}), "CategoricalAccuracy");
  EXPECT_EQ(chosen("accuracy", {8, 1}, {8, 1}), "BinaryAccuracy");
  EXPECT_EQ(chosen("crossentropy", {8}, {8, 10}), "SparseCategoricalCrossentropy");
  EXPECT_EQ(chosen("ce", {8}, {8, 1}), "BinaryCrossentropy");
  EXPECT_EQ(chosen("mse", {8, 2}, {8, 2}), "MeanSquaredError");
}

TEST(Metrics, UnknownNamesAreRefusedWithAHint) {
  MetricRef("accuracy").check();
  try {
    MetricRef("categorical_acuracy").check();
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.hint().find("categorical_accuracy"), std::string::npos);
  }
}

TEST(Metrics, ConfigsGoThereAndBack) {
  const auto metric = metrics::SparseTopKCategoricalAccuracy({.k = 3, .name = "top3"});
  const Config object =
      Config::map({{"class_name", metric->class_name()}, {"config", metric->get_config()}});
  const auto again = MetricRef(object).make({}, {});
  EXPECT_EQ(again->get_config(), metric->get_config());
  EXPECT_EQ(again->name(), "top3");
}

TEST(Metrics, ALambdaIsAMetric) {
  const MetricRef ref([](const Tensor& y_true, const Tensor& y_pred) { return y_true - y_pred; },
                      "bias");
  const auto metric = ref.make({}, {});
  metric->update_state(Array::from<float>({3, 5}, {2}), Array::from<float>({1, 1}, {2}));
  EXPECT_EQ(metric->result().item(), 3);
  EXPECT_EQ(metric->name(), "bias");
}

}  // namespace
}  // namespace stoker
