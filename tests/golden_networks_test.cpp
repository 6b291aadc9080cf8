#include "nn/functional.h"
#include "nn/operations/operation.h"
#include "nn/saving/model_problems.h"
#include "nn/saving/network_config.h"
#include "stoker/layers/dense.h"
#include "stoker/model.h"
#include "support/golden.h"
#include "support/same_config.h"

namespace stoker {
namespace {

// A model's layers as Keras lists them: with Inputs in a Functional, without in a Sequential, and
// never operations.
std::vector<std::string> layer_names(const Layer& network) {
  std::vector<std::string> names;
  const auto* functional = dynamic_cast<const nn::FunctionalNetwork*>(&network);
  if (functional && network.class_name() == "Functional")
    for (const auto& calls : functional->operations()) {
      if (!dynamic_cast<const nn::OperationLayer*>(calls[0]->layer.ptr().get()))
        names.push_back(calls[0]->name);
    }
  else
    for (const LayerRef& layer : network.sublayers()) names.push_back(layer->name());
  return names;
}

TEST(GoldenNetworks, ConfigsGoThereAndBackExactly) {
  const auto group = golden::load("networks");
  ASSERT_GT(group.cases().size(), 25u);
  for (const Config& c : group.cases()) {
    SCOPED_TRACE(golden::id(c));
    const Config& object = *c.find("object");
    const LayerRef network = nn::deserialize_layer(object);
    EXPECT_EQ(golden::config_difference(nn::serialize_layer(*network), object), "");
    const auto names = layer_names(*network);
    const auto& wanted = c.find("layers")->as_list();
    ASSERT_EQ(names.size(), wanted.size());
    for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], wanted[i].as_string());
  }
}

void expect_same_results(const golden::Group& group, const Config& c) {
  SCOPED_TRACE(golden::id(c));
  Model model(nn::deserialize_layer(*c.find("object")));
  model.set_weights(group.list(c, "weights"));
  const auto weights = model.weights();
  const auto& trainable = c.find("trainable")->as_list();
  ASSERT_EQ(weights.size(), trainable.size());
  for (size_t i = 0; i < weights.size(); ++i)
    EXPECT_EQ(weights[i].trainable(), trainable[i].as_bool()) << i;
  const auto outputs = model.predict_all(group.list(c, "inputs"));
  const auto wanted = group.list(c, "outputs");
  ASSERT_EQ(outputs.size(), wanted.size());
  const double tolerance = golden::id(c).find("mixed") == std::string::npos ? 1e-5 : 2e-2;
  for (size_t i = 0; i < outputs.size(); ++i)
    EXPECT_TRUE(golden::near(outputs[i].astype(DType::float32), wanted[i], tolerance)) << i;
}

TEST(GoldenNetworks, ReadNetworksComputeWhatKerasComputes) {
  const auto group = golden::load("networks");
  for (const Config& c : group.cases()) expect_same_results(group, c);
}

TEST(GoldenNetworks, FilesOfKeras30AreReadAsWell) {
  const auto group = golden::load("networks_3_0");
  ASSERT_GT(group.cases().size(), 30u);
  for (const Config& c : group.cases()) expect_same_results(group, c);
}

// Except for build_config and compile_config, which are kept from files: a model created here
// writes what Keras would.
TEST(Networks, OneDescribedHereIsWrittenAsKerasWritesIt) {
  const Tensor x = Input({.shape = {4}, .name = "x"});
  const LayerRef dense = layers::Dense({.units = 4, .name = "d"});
  const Model model({.inputs = {x}, .outputs = {dense(dense(x)), x}, .name = "m"});
  const Config object = nn::serialize_layer(*model.network());
  EXPECT_EQ(object.find("module")->as_string(), "keras.src.models.functional");
  const Config& config = *object.find("config");
  EXPECT_EQ(config.find("output_layers")->to_string(), R"([["d", 1, 0], ["x", 0, 0]])");
  EXPECT_EQ(config.find("input_layers")->to_string(), R"(["x", 0, 0])");
  const Config& last = config.find("layers")->as_list()[1];
  EXPECT_EQ(last.find("build_config")->to_string(), R"({"input_shape": [null, 4]})");
  EXPECT_EQ(
      last.find("inbound_nodes")->as_list()[1],
      parse_json(R"({"args": [{"class_name": "__keras_tensor__", "config": {"shape": [null, 4],
              "dtype": "float32", "keras_history": ["d", 0, 0]}}], "kwargs": {}})"));
  EXPECT_EQ(golden::config_difference(nn::serialize_layer(*nn::deserialize_layer(object)), object),
            "");
}

TEST(Networks, OperatorsOnInputsAreOperations) {
  const Tensor x = Input({.shape = {2}, .name = "x"}), y = Input({.shape = {2}, .name = "y"});
  const Array row = Array::from<float>({10, 20}, {2});
  Model model({.inputs = {x, y}, .outputs = {(x + y) * 2.0 - 1.0 / x, y * Tensor(row)}});
  const Array a = Array::from<float>({1, 2, 4, 8}, {2, 2}),
              b = Array::from<float>({1, 1, 2, 2}, {2, 2});
  const auto found = model.predict_all({a, b});
  EXPECT_TRUE(golden::near(found[0], Array::from<float>({3, 5.5f, 11.75f, 19.875f}, {2, 2})));
  EXPECT_TRUE(golden::near(found[1], Array::from<float>({10, 20, 20, 40}, {2, 2})));
  const Model again = clone_model(model);
  EXPECT_EQ(again.get_config(), model.get_config());
  EXPECT_EQ(again.layers().size(), 0u);
}

TEST(Networks, AClonedModelHasTheSameConfigAndWeightsOfItsOwn) {
  const Tensor x = Input({.shape = {4}, .name = "x"});
  const Model model({.inputs = {x}, .outputs = {layers::Dense({.units = 2, .name = "d"})(x)}});
  const Model copy = clone_model(model), again = Model::from_config(model.get_config());
  EXPECT_EQ(copy.get_config(), model.get_config());
  EXPECT_EQ(again.get_config(), model.get_config());
  EXPECT_NE(copy.weights()[0].state(), model.weights()[0].state());
}

std::string refusal(const char* json) {
  try {
    nn::deserialize_layer(parse_json(json));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Networks, AllProblemsAreNamedAtOnceWithTheirPaths) {
  const std::string text = refusal(R"({"module": "keras", "class_name": "Sequential", "config": {
    "name": "top", "layers": [
      {"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [null, 4], "name": "i"}},
      {"module": "keras.layers", "class_name": "Lambda", "config": {"name": "lambda_3"}},
      {"module": "keras.layers", "class_name": "Dense", "config": {"name": "d", "units": 3, "unitz": 4}},
      {"module": "my.code", "class_name": "Dense", "config": {"name": "e", "units": 3}},
      {"module": null, "class_name": "Mine", "registered_name": "pack>Mine", "config": {"name": "f"}},
      {"module": "keras.layers", "class_name": "Dense", "config": {"name": "g", "units": 9223372036854775807}},
      {"module": "keras", "class_name": "Sequential", "config": {"name": "inner", "layers": [
        {"module": "keras.layers", "class_name": "Dance", "config": {"name": "deep", "units": 3}}]}}
    ]}})");
  for (const char* wanted :
       {"6 unsupported parts", "top/lambda_3: class Lambda is not supported: it holds Python code",
        "top/d: ", "\"unitz\"", "top/e: ", "\"my.code\"", "top/f: ", "\"pack>Mine\"",
        "top/g: ", "absurd", "top/inner/deep: ", "Dance"})
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted << "\n" << text;
}

TEST(Networks, BrokenGraphsAreRefused) {
  const auto model = [](const std::string& nodes, const std::string& outputs) {
    return R"({"module": "keras.src.models.functional", "class_name": "Functional", "config": {"name": "m",
      "layers": [{"class_name": "InputLayer", "config": {"batch_shape": [null, 4], "name": "x"}, "name": "x",
                  "inbound_nodes": []},
                 {"class_name": "Dense", "config": {"name": "d", "units": 4}, "name": "d", "inbound_nodes": )" +
           nodes + R"(}], "input_layers": [["x", 0, 0]], "output_layers": )" + outputs + "}}";
  };
  const auto call = [](const std::string& history) {
    return R"([{"args": [{"class_name": "__keras_tensor__", "config": {"keras_history": )" +
           history + R"(}}], "kwargs": {}}])";
  };
  EXPECT_EQ(refusal(model(call(R"(["x", 0, 0])"), R"([["d", 0, 0]])").c_str()), "");
  EXPECT_EQ(refusal(model(R"([[["x", 0, 0, {}]]])", R"([["d", 0, 0]])").c_str()), "");  // Keras 2
  for (const auto& [nodes, outputs] : std::vector<std::pair<std::string, std::string>>{
           {call(R"(["y", 0, 0])"), R"([["d", 0, 0]])"},   // an unknown layer
           {call(R"(["d", 0, 0])"), R"([["d", 0, 0]])"},   // itself
           {call(R"(["x", 0, 1])"), R"([["d", 0, 0]])"},   // an output too many
           {call(R"(["x", -1, 0])"), R"([["d", 0, 0]])"},  // a negative number
           {call(R"(["x", 0, 0])"), R"([["d", 3, 0]])"},   // a call that is not there
           {R"([{"args": [], "kwargs": {}}])", R"([["d", 0, 0]])"},
           {R"([{"args": 3, "kwargs": {}}])", R"([["d", 0, 0]])"},
           {R"([7])", R"([["d", 0, 0]])"},
           {call(R"(["x", 0, 0])"), R"([])"}})
    EXPECT_NE(refusal(model(nodes, outputs).c_str()), "") << nodes << outputs;
}

}  // namespace
}  // namespace stoker
