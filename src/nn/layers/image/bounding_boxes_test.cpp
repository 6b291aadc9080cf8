#include "stoker/layers/bounding_boxes.h"

#include <gtest/gtest.h>

#include "stoker/error.h"
#include "stoker/model.h"

namespace stoker {
namespace {

TEST(MaxNumBoundingBoxes, ATableInATableIsWrittenAndReadAsKerasDoes) {
  const Tensor boxes = Input({.shape = {5, 4}, .name = "boxes"}),
               labels = Input({.shape = {5}, .name = "labels"}),
               images = Input({.shape = {6, 6, 3}, .name = "images"});
  const auto layer = layers::MaxNumBoundingBoxes({.max_number = 3, .bounding_box_format = "xyxy"});
  const auto out = layer.call_all({boxes, labels, images});
  EXPECT_EQ(out[0].shape(), (Shape{unknown, 3, 4}));
  EXPECT_EQ(out[1].shape(), (Shape{unknown, 3}));
  const Model model({.inputs = {boxes, labels, images}, .outputs = out});
  const Config config = model.get_config();
  const Config& node = config.find("layers")->as_list().back().find("inbound_nodes")->as_list()[0];
  const Config& table = node.find("args")->as_list()[0];
  ASSERT_TRUE(table.find("images") && table.find("bounding_boxes")) << node.to_string();
  EXPECT_TRUE(table.find("bounding_boxes")->find("boxes")) << node.to_string();
  EXPECT_TRUE(table.find("bounding_boxes")->find("labels")) << node.to_string();
  EXPECT_EQ(Model::from_config(config).get_config(), config);
}

TEST(MaxNumBoundingBoxes, MistakesAreRefused) {
  const Array boxes(DType::float32, {2, 5, 4}), labels(DType::int32, {2, 5}),
      images(DType::float32, {2, 6, 6, 3});
  const auto made = [](std::optional<std::string> format) {
    return layers::MaxNumBoundingBoxes({.max_number = 3, .bounding_box_format = format});
  };
  EXPECT_THROW(layers::MaxNumBoundingBoxes({}), InvalidArgument);
  EXPECT_THROW(made({}).call_all({boxes, labels, images}), InvalidArgument);
  EXPECT_THROW(made("xyxy").call_all({boxes, images}), InvalidArgument);
  EXPECT_THROW(made("xyxy").call_all({labels, boxes, images}), InvalidArgument);
  EXPECT_NO_THROW(made("xyxy").call_all({boxes, labels, images}));
}

}  // namespace
}  // namespace stoker
