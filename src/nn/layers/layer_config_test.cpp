#include <gtest/gtest.h>

#include <map>
#include <string>

#include "stoker/io.h"
#include "stoker/layer.h"

namespace stoker {
namespace {

// For every registered layer arguments that are not the defaults.
const std::map<std::string, const char*> samples{
    {"Dense",
     R"({"units": 3, "activation": "relu", "use_bias": false, "kernel_regularizer": "l2"})"},
    {"Activation", R"({"activation": "tanh"})"},
    {"ReLU", R"({"max_value": 6, "negative_slope": 0.1, "threshold": 0.5})"},
    {"LeakyReLU", R"({"negative_slope": 0.1})"},
    {"ELU", R"({"alpha": 0.5})"},
    {"Softmax", R"({"axis": 1})"},
    {"PReLU", R"({"shared_axes": [1, 2], "alpha_initializer": "ones"})"},
    {"Flatten", "{}"},
    {"Reshape", R"({"target_shape": [-1, 3]})"},
    {"Permute", R"({"dims": [2, 1]})"},
    {"ZeroPadding2D", R"({"padding": [[1, 0], [2, 3]]})"},
    {"Conv2D",
     R"({"filters": 4, "kernel_size": 3, "strides": [2, 1], "padding": "same", "groups": 2})"},
    {"MaxPooling2D", R"({"pool_size": 3, "strides": null, "padding": "same"})"},
    {"AveragePooling2D", R"({"pool_size": [3, 2], "strides": 1})"},
    {"GlobalMaxPooling2D", R"({"keepdims": true})"},
    {"GlobalAveragePooling2D", R"({"keepdims": true})"},
    {"BatchNormalization", R"({"axis": 1, "momentum": 0.9, "epsilon": 0.01, "center": false})"},
    {"Dropout", R"({"rate": 0.25, "noise_shape": [null, 1, 4], "seed": 3})"},
    {"Rescaling", R"({"scale": [0.5, 0.25], "offset": -1})"},
    {"Add", "{}"},
    {"Multiply", "{}"},
    {"Concatenate", R"({"axis": 1})"},
    {"InputLayer", R"({"batch_shape": [null, 28, 28], "dtype": "uint8"})"},
};

// Numbers that were given as integers may come back as floating point.
void expect_holds(const Config& written, const Config& given, const std::string& key) {
  const Config* found = written.find(key);
  ASSERT_NE(found, nullptr) << key;
  if (given.is_number() && found->is_number()) {
    EXPECT_EQ(found->as_double(), given.as_double()) << key;
  }
}

TEST(LayerConfig, EveryLayerComesBackFromItsConfig) {
  for (const std::string& name : layer_class_names()) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(samples.contains(name)) << "add arguments of this layer to the samples";
    const Config given = parse_json(samples.at(name));
    const LayerRef layer = make_layer_from_config(name, given);
    const Config written = layer->get_config();
    for (const auto& [key, value] : given.as_map()) expect_holds(written, value, key);
    EXPECT_EQ(written.find("name")->as_string(), layer->name());
    const LayerRef again = make_layer_from_config(name, written);
    EXPECT_EQ(again->get_config(), written);
  }
}

// A first layer may say what it takes, in the words of Keras 2 or 3; what it takes is no part of
// its config, as an InputLayer says it in a file.
TEST(LayerConfig, AFirstLayersInputShapeIsRead) {
  for (const char* json :
       {R"({"input_shape": [28, 28]})", R"({"batch_input_shape": [null, 28, 28]})"}) {
    const LayerRef layer = make_layer_from_config("Flatten", parse_json(json));
    EXPECT_EQ(layer->input_shape, (Shape{28, 28}));
    EXPECT_EQ(layer->get_config().find("input_shape"), nullptr);
  }
}

TEST(LayerConfig, TrainableIsReadAndWritten) {
  const LayerRef layer =
      make_layer_from_config("Dense", parse_json(R"({"units": 2, "trainable": false})"));
  EXPECT_FALSE(layer->trainable());
  EXPECT_FALSE(layer->get_config().find("trainable")->as_bool());
}

TEST(LayerConfig, UnknownLayersAndArgumentsSayWhatWasMeant) {
  try {
    make_layer_from_config("Conv2d", parse_json("{}"));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.hint().find("Conv2D"), std::string::npos) << error.what();
  }
  try {
    make_layer_from_config("Dense", parse_json(R"({"units": 3, "activaton": "relu"})"));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.hint().find("activation"), std::string::npos) << error.what();
  }
  EXPECT_THROW(make_layer_from_config("Dense", parse_json("{}")), InvalidArgument);
}

}  // namespace
}  // namespace stoker
