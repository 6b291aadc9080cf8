#include <gtest/gtest.h>

#include "stoker/function.h"
#include "stoker/gradient_tape.h"
#include "stoker/layer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "support/golden.h"

namespace stoker {
namespace {

struct Outcome {
  Array output;
  std::vector<Array> input_grads, weight_grads, weights_after;  // undefined: no gradient
};

LayerRef make(const golden::Group& group, const Config& c, const std::vector<Array>& inputs) {
  LayerRef layer = make_layer_from_config(c.find("class_name")->as_string(), *c.find("config"));
  std::vector<Shape> shapes;
  for (const Array& input : inputs) shapes.push_back(input.shape());
  layer->build_once(shapes);
  std::vector<Array> weights;
  for (const Config& weight : c.find("weights")->as_list())
    weights.push_back(group.array(*weight.find("array")));
  layer->set_weights(weights);
  return layer;
}

// The output, then the existing gradients of inputs and weights.
std::vector<Tensor> differentiate(const LayerRef& layer, const std::vector<Tensor>& inputs,
                                  const Tensor& cotangent, bool training) {
  GradientTape tape;
  const Tensor output = layer(inputs, {.training = training});
  const Tensor total = ops::sum(output * cotangent);
  std::vector<Tensor> results{output};
  for (const Tensor& gradient : tape.gradient(total, inputs)) results.push_back(gradient);
  for (const Tensor& gradient : tape.gradient(total, layer->weights())) results.push_back(gradient);
  return results;
}

Outcome sort_out(const LayerRef& layer, size_t inputs, const std::vector<Array>& results) {
  Outcome outcome{results[0], {}, {}, layer->get_weights()};
  const auto middle = results.begin() + 1 + static_cast<std::ptrdiff_t>(inputs);
  outcome.input_grads.assign(results.begin() + 1, middle);
  outcome.weight_grads.assign(middle, results.end());
  return outcome;
}

Outcome run_eagerly(const golden::Group& group, const Config& c, const std::vector<Array>& inputs,
                    bool training) {
  const LayerRef layer = make(group, c, inputs);
  const std::vector<Tensor> tensors(inputs.begin(), inputs.end());
  std::vector<Array> results;
  for (const Tensor& t : differentiate(layer, tensors, group.array(c, "cotangent"), training))
    results.push_back(t.defined() ? t.array() : Array());
  return sort_out(layer, inputs.size(), results);
}

Outcome run_traced(const golden::Group& group, const Config& c, const std::vector<Array>& inputs,
                   bool training) {
  const LayerRef layer = make(group, c, inputs);
  std::vector<bool> defined;  // a traced function returns only defined tensors
  detail::TracedFunction step([&](const std::vector<Tensor>& in) {
    auto results = differentiate(layer, {in.begin(), in.end() - 1}, in.back(), training);
    for (const Tensor& result : results) defined.push_back(result.defined());
    std::erase_if(results, [](const Tensor& t) { return !t.defined(); });
    return results;
  });
  std::vector<detail::TracedFunction::Input> arguments(inputs.begin(), inputs.end());
  arguments.emplace_back(group.array(c, "cotangent"));
  const auto returned = step(arguments);
  std::vector<Array> results;
  size_t next = 0;
  for (bool is : defined) results.push_back(is ? returned.at(next++).array() : Array());
  return sort_out(layer, inputs.size(), results);
}

void expect_gradients(const std::vector<Array>& got, const std::vector<Array>& want,
                      const char* of) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (!want[i].defined()) continue;
    ASSERT_TRUE(got[i].defined()) << "no gradient of " << of << " " << i;
    EXPECT_TRUE(golden::near(got[i], want[i])) << "gradient of " << of << " " << i;
  }
}

void expect_outcome(const golden::Group& group, const Config& c, const Outcome& got) {
  EXPECT_TRUE(golden::near(got.output, group.array(c, "output"))) << "output";
  expect_gradients(got.input_grads, group.list(c, "input_grads"), "input");
  expect_gradients(got.weight_grads, group.list(c, "weight_grads"), "weight");
  const auto after = group.list(c, "weights_after");
  for (size_t i = 0; i < after.size(); ++i)
    EXPECT_TRUE(golden::near(got.weights_after[i], after[i])) << "weight " << i << " afterwards";
}

using Run = Outcome (*)(const golden::Group&, const Config&, const std::vector<Array>&, bool);

void expect_all(Run run) {
  const golden::Group group = golden::load("layers");
  ASSERT_GT(group.cases().size(), 100u);
  for (const Config& c : group.cases()) {
    SCOPED_TRACE(golden::id(c));
    try {
      const bool training = c.find("training")->as_bool();
      expect_outcome(group, c, run(group, c, group.list(c, "inputs"), training));
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(GoldenLayers, EagerOpsAgreeWithKeras) { expect_all(run_eagerly); }
TEST(GoldenLayers, CompiledStepsAgreeWithKeras) { expect_all(run_traced); }

TEST(GoldenLayers, WeightsHaveKerasNames) {
  const golden::Group group = golden::load("layers");
  for (const Config& c : group.cases()) {
    SCOPED_TRACE(golden::id(c));
    const LayerRef layer = make(group, c, group.list(c, "inputs"));
    const auto weights = layer->weights();
    const auto& wanted = c.find("weights")->as_list();
    ASSERT_EQ(weights.size(), wanted.size());
    for (size_t i = 0; i < weights.size(); ++i)
      EXPECT_EQ(weights[i].name(), layer->name() + "/" + wanted[i].find("name")->as_string());
  }
}

}  // namespace
}  // namespace stoker
