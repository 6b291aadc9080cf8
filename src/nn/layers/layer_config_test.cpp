#include <gtest/gtest.h>

#include <string>

#include "stoker/io.h"
#include "stoker/layer.h"

namespace stoker {
namespace {

// A first layer may have an input shape, in Keras 2's or 3's form; it is not part of its config, as
// files have an InputLayer for it.
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

// Keras's argument trainable=False applies to the outer layer only; setting it later applies to
// all.
TEST(LayerConfig, AFrozenWrappersLayersSayWhatTheySaid) {
  const char* json =
      R"({"trainable": false, "layer": {"class_name": "LSTM", "config": {"units": 2}}})";
  const LayerRef layer = make_layer_from_config("Bidirectional", parse_json(json));
  const auto inner_says = [&](const char* which) {
    return layer->get_config().find(which)->find("config")->find("trainable")->as_bool();
  };
  EXPECT_TRUE(inner_says("layer"));
  EXPECT_TRUE(inner_says("backward_layer"));
  layer->build_once({Shape{unknown, 3, 4}});
  EXPECT_EQ(layer->weights().size(), 6u);
  EXPECT_TRUE(layer->trainable_variables().empty());
  layer->set_trainable(true);
  EXPECT_EQ(layer->trainable_variables().size(), 6u);
  layer->set_trainable(false);
  EXPECT_FALSE(inner_says("layer"));
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
