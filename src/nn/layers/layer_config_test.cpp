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
    {"RepeatVector", R"({"n": 3})"},
    {"Identity", "{}"},
    {"ActivityRegularization", R"({"l1": 0.5, "l2": 0.25})"},
    {"ZeroPadding1D", R"({"padding": [1, 2]})"},
    {"ZeroPadding2D", R"({"padding": [[1, 0], [2, 3]]})"},
    {"ZeroPadding3D", R"({"padding": [1, 2, 3], "data_format": "channels_first"})"},
    {"Cropping1D", R"({"cropping": 2})"},
    {"Cropping2D", R"({"cropping": [1, 2]})"},
    {"Cropping3D", R"({"cropping": [[1, 0], [2, 3], [0, 0]]})"},
    {"UpSampling1D", R"({"size": 3})"},
    {"UpSampling2D", R"({"size": [3, 1], "interpolation": "bilinear"})"},
    {"UpSampling3D", R"({"size": 3, "data_format": "channels_first"})"},
    {"Conv1D", R"({"filters": 4, "kernel_size": 3, "padding": "causal", "dilation_rate": 2})"},
    {"Conv2D",
     R"({"filters": 4, "kernel_size": 3, "strides": [2, 1], "padding": "same", "groups": 2})"},
    {"Conv3D", R"({"filters": 4, "kernel_size": [3, 2, 1], "activity_regularizer": "l2"})"},
    {"Conv1DTranspose", R"({"filters": 4, "kernel_size": 3, "strides": 2, "output_padding": 1})"},
    {"Conv2DTranspose", R"({"filters": 4, "kernel_size": 3, "strides": 2, "padding": "same"})"},
    {"Conv3DTranspose", R"({"filters": 4, "kernel_size": 3, "data_format": "channels_first"})"},
    {"DepthwiseConv1D", R"({"kernel_size": 3, "depth_multiplier": 2})"},
    {"DepthwiseConv2D", R"({"kernel_size": [3, 2], "depthwise_initializer": "ones"})"},
    {"SeparableConv1D", R"({"filters": 4, "kernel_size": 3, "pointwise_regularizer": "l1"})"},
    {"SeparableConv2D", R"({"filters": 4, "kernel_size": 3, "use_bias": false})"},
    {"MaxPooling1D", R"({"pool_size": 3, "strides": 2})"},
    {"MaxPooling2D", R"({"pool_size": 3, "strides": null, "padding": "same"})"},
    {"MaxPooling3D", R"({"pool_size": [3, 2, 1], "data_format": "channels_first"})"},
    {"AveragePooling1D", R"({"pool_size": 3, "padding": "same"})"},
    {"AveragePooling2D", R"({"pool_size": [3, 2], "strides": 1})"},
    {"AveragePooling3D", R"({"pool_size": 3, "strides": [1, 2, 3]})"},
    {"GlobalMaxPooling1D", R"({"keepdims": true})"},
    {"GlobalMaxPooling2D", R"({"keepdims": true})"},
    {"GlobalMaxPooling3D", R"({"data_format": "channels_first"})"},
    {"GlobalAveragePooling1D", R"({"data_format": "channels_first"})"},
    {"GlobalAveragePooling2D", R"({"keepdims": true})"},
    {"GlobalAveragePooling3D", R"({"keepdims": true})"},
    {"AdaptiveMaxPooling1D", R"({"output_size": 3})"},
    {"AdaptiveMaxPooling2D", R"({"output_size": [3, 2]})"},
    {"AdaptiveMaxPooling3D", R"({"output_size": 3, "data_format": "channels_first"})"},
    {"AdaptiveAveragePooling1D", R"({"output_size": 3})"},
    {"AdaptiveAveragePooling2D", R"({"output_size": [3, 2]})"},
    {"AdaptiveAveragePooling3D", R"({"output_size": 3, "data_format": "channels_first"})"},
    {"LayerNormalization", R"({"axis": [1, 2], "epsilon": 0.01, "scale": false})"},
    {"GroupNormalization", R"({"groups": 4, "axis": 1, "center": false})"},
    {"RMSNormalization", R"({"axis": -2, "epsilon": 0.01})"},
    {"UnitNormalization", R"({"axis": [1, 2]})"},
    {"BatchNormalization", R"({"axis": 1, "momentum": 0.9, "epsilon": 0.01, "center": false})"},
    {"Dropout", R"({"rate": 0.25, "noise_shape": [null, 1, 4], "seed": 3})"},
    {"Rescaling", R"({"scale": [0.5, 0.25], "offset": -1})"},
    {"Add", "{}"},
    {"Multiply", "{}"},
    {"Subtract", "{}"},
    {"Average", "{}"},
    {"Maximum", "{}"},
    {"Minimum", "{}"},
    {"Dot", R"({"axes": [1, 2], "normalize": true})"},
    {"Concatenate", R"({"axis": 1})"},
    {"LayerScale", R"({"init_values": 0.1, "projection_dim": 3})"},
    {"CustomScaleLayer", R"({"scale": 0.17})"},
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
