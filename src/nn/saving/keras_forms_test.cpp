#include <fmt/format.h>
#include <gtest/gtest.h>

#include "nn/test_models.h"
#include "stoker/io.h"
#include "stoker/layers/rnn.h"
#include "stoker/model.h"

// Config forms that only Keras writes.
namespace stoker {
namespace {

std::string layer(const std::string& class_name, const std::string& name, const std::string& config,
                  const std::string& nodes) {
  return fmt::format(
      R"({{"class_name": "{}", "config": {{"name": "{}"{}}}, "name": "{}", "inbound_nodes": [{}]}})",
      class_name, name, config, name, nodes);
}

std::string operation(const std::string& module, const std::string& class_name,
                      const std::string& name, const std::string& config,
                      const std::string& nodes) {
  return fmt::format(
      R"({{"module": "keras.src.ops.{}", "class_name": "{}", "config": {{"name": "{}"{}}}, "registered_name": "{}", "name": "{}", "inbound_nodes": [{}]}})",
      module, class_name, name, config, class_name, name, nodes);
}

std::string tensor(const std::string& name) {
  return fmt::format(
      R"({{"class_name": "__keras_tensor__", "config": {{"shape": [null, 2], "dtype": "float32", "keras_history": ["{}", 0, 0]}}}})",
      name);
}

std::string call(const std::string& args) {
  return fmt::format(R"({{"args": [{}], "kwargs": {{}}}})", args);
}

std::string input(const std::string& batch_shape) {
  return layer("InputLayer", "x",
               fmt::format(R"(, "batch_shape": {}, "dtype": "float32")", batch_shape), "");
}

Model model_of(const std::string& layers, const std::string& outputs) {
  return Model::from_config(parse_json(fmt::format(
      R"({{"class_name": "Functional", "config": {{"name": "model", "trainable": true, "layers": [{}], "input_layers": ["x", 0, 0], "output_layers": {}}}}})",
      layers, outputs)));
}

std::string dense(const std::string& name, int units) {
  return layer("Dense", name, fmt::format(R"(, "units": {})", units), call(tensor("x")));
}

// The file of a Sequential that was built by calling it contains that batch size.
TEST(KerasForms, ABatchOfTheFileMeansAnyBatch) {
  Model model = model_of(input("[8, 2]") + ", " + dense("a", 1), R"(["a", 0, 0])");
  const Array x = test::random_array({13, 2}), y = test::random_array({13, 1}, 2);
  EXPECT_EQ(model.predict(x, {.batch_size = 4}).shape(), (Shape{13, 1}));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_NO_THROW(model.fit(x, y, {.batch_size = 5, .verbose = 0}));
  const std::string written = model.get_config().to_string();
  EXPECT_NE(written.find("[8, 2]"), std::string::npos) << written;
}

Model priced() {
  return model_of(input("[null, 2]") + ", " + dense("a", 1) + ", " + dense("b", 2),
                  R"({"price": ["a", 0, 0], "kind": ["b", 0, 0]})");
}

TEST(KerasForms, OutputsInATableGoByItsKeys) {
  Model model = priced();
  EXPECT_EQ(model.output_names(), (std::vector<std::string>{"kind", "price"}));
  model.compile_from_config(parse_json(
      R"({"optimizer": "sgd", "loss": {"price": "mse", "kind": "mae"}, "loss_weights": {"price": 0.5, "kind": 2.0},
          "metrics": {"price": ["mae"]}, "weighted_metrics": {"kind": ["mse"]}})"));
  const Array x = test::random_array({6, 2});
  const Arrays y{test::random_array({6, 2}, 2), test::random_array({6, 1}, 3)};
  const Logs logs = model.evaluate(x, y, {.verbose = 0});
  std::vector<std::string> names;
  for (const auto& [name, value] : logs) names.push_back(name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"kind_loss", "kind_mse", "loss", "price_loss", "price_mae"}));
  EXPECT_NEAR(*logs.find("loss"), 0.5 * *logs.find("price_loss") + 2 * *logs.find("kind_loss"),
              1e-5);
}

TEST(KerasForms, ALossForOneKeyOfATableLeavesTheOtherOut) {
  Model model = priced();
  model.compile({.optimizer = "sgd", .loss_by_output = {{"price", "mse"}}});
  const Array x = test::random_array({6, 2});
  EXPECT_NO_THROW(
      model.fit(x, {test::random_array({6, 2}, 2), test::random_array({6, 1}, 3)}, {.verbose = 0}));
  Model other = priced();
  EXPECT_THROW(
      {
        other.compile({.optimizer = "sgd", .loss_by_output = {{"a", "mse"}}});
        other.fit(x, {test::random_array({6, 2}, 2), test::random_array({6, 1}, 3)},
                  {.verbose = 0});
      },
      InvalidArgument);
}

Array answer(const std::string& operation_text) {
  Model model = model_of(input("[null, 2]") + ", " + operation_text, R"(["op", 0, 0])");
  return model.predict(Array::from<float>({-1.5f, 2, 0.25f, -3}, {2, 2}));
}

void expect_answer(const Array& found, const std::vector<float>& wanted, DType dtype) {
  EXPECT_EQ(found.dtype(), dtype);
  ASSERT_EQ(found.size(), static_cast<int64_t>(wanted.size()));
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(found.at(static_cast<int64_t>(i)), wanted[i], 1e-5) << i;
}

// Keras adds it after an Attention whose query has a mask.
TEST(KerasForms, ConvertToTensorIsAnOperation) {
  const std::string text =
      operation("core", "ConvertToTensor", "op",
                R"(, "dtype": null, "sparse": null, "ragged": null)", call(tensor("x")));
  expect_answer(answer(text), {-1.5f, 2, 0.25f, -3}, DType::float32);
}

std::string where(const std::string& a, const std::string& b) {
  return operation("numpy", "Greater", "positive", "", call(tensor("x") + ", 0.0")) + ", " +
         operation("numpy", "Where", "op", "", call(tensor("positive") + ", " + a + ", " + b));
}

TEST(KerasForms, WhereTakesTwoNumbers) {
  expect_answer(answer(where("1.5", "0.0")), {0, 1.5f, 1.5f, 0}, DType::float32);
  expect_answer(answer(where("1", "0")), {0, 1, 1, 0}, DType::int32);
  expect_answer(answer(where("1", "0.5")), {0.5f, 1, 1, 0.5f}, DType::float32);
  expect_answer(answer(where("[1.0, 2.0]", "0")), {0, 2, 1, 0}, DType::float32);
}

TEST(KerasForms, SoftmaxTakesSeveralAxes) {
  const std::string text =
      operation("nn", "Softmax", "op", R"(, "axis": [0, 1])", call(tensor("x")));
  const Array y = answer(text);
  double sum = 0;
  for (int64_t i = 0; i < 4; ++i) sum += y.at(i);
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_NEAR(y.at(1) / y.at(2), std::exp(1.75), 1e-3);
}

TEST(KerasForms, ALossIsAMetric) {
  Model model = model_of(input("[null, 2]") + ", " + dense("a", 1), R"(["a", 0, 0])");
  model.compile_from_config(parse_json(
      R"({"optimizer": "sgd", "loss": "mse",
          "metrics": [{"module": "keras.losses", "class_name": "MeanAbsoluteError",
                       "config": {"name": "mean_absolute_error", "reduction": "sum_over_batch_size"},
                       "registered_name": null}, "mae"]})"));
  const Logs logs =
      model.evaluate(test::random_array({6, 2}), test::random_array({6, 1}, 2), {.verbose = 0});
  EXPECT_NEAR(*logs.find("mean_absolute_error"), *logs.find("mae"), 1e-5);
}

std::string by_name(const std::string& kwargs) {
  return fmt::format(R"({{"args": [], "kwargs": {{{}}}}})", kwargs);
}

TEST(KerasForms, ACallNamesItsArgumentsAsKerasDoes) {
  const std::string x = tensor("x");
  expect_answer(answer(layer("RMSNormalization", "op", R"(, "axis": -1, "epsilon": 0.0)",
                             by_name(R"("x": )" + x))),
                {-0.848528f, 1.131371f, 0.117444f, -1.409329f}, DType::float32);
  const Array counted =
      answer(layer("CategoryEncoding", "op", R"(, "num_tokens": 3, "output_mode": "count")",
                   by_name(R"("inputs": )" + x + R"(, "count_weights": )" + x)));
  EXPECT_EQ(counted.at(2), 2);  // of the row -1.5, 2
}

const Config& states_of_cell(const Config& config) {
  const Config& cell = config.find("layers")->as_list().back();
  return cell.find("inbound_nodes")->as_list()[0].find("args")->as_list().at(1);
}

TEST(KerasForms, ACellTakesItsStatesInAList) {
  const Tensor x = Input({.shape = {2}, .name = "x"}), h = Input({.shape = {3}, .name = "h"}),
               c = Input({.shape = {3}, .name = "c"}), g = Input({.shape = {4}, .name = "g"});
  const auto config_of = [](const LayerRef& cell, const std::vector<Tensor>& inputs) {
    return Model({.inputs = inputs, .outputs = {cell.call_all(inputs)[0]}}).get_config();
  };
  const Config lstm = config_of(layers::LSTMCell({.units = 3}), {x, h, c});
  EXPECT_EQ(states_of_cell(lstm).as_list().size(), 2u) << lstm.to_string();
  EXPECT_EQ(Model::from_config(lstm).get_config(), lstm);
  const LayerRef stack = layers::StackedRNNCells(
      {.cells = {layers::LSTMCell({.units = 3}), layers::GRUCell({.units = 4})}});
  const Config stacked = config_of(stack, {x, h, c, g});
  const auto& lists = states_of_cell(stacked).as_list();
  ASSERT_EQ(lists.size(), 2u) << stacked.to_string();
  EXPECT_EQ(lists[0].as_list().size(), 2u);
  EXPECT_EQ(Model::from_config(stacked).get_config(), stacked);
  EXPECT_THROW(stack.call_all({x, h}), InvalidArgument);
}

}  // namespace
}  // namespace stoker
