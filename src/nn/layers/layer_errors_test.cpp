#include <gtest/gtest.h>

#include <functional>

#include "stoker/error.h"
#include "stoker/layers.h"
#include "stoker/ops/shape_ops.h"

namespace stoker {
namespace {

Tensor zeros(const Shape& shape) { return ops::fill(shape, 0); }

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string calling(const LayerRef& layer, const std::vector<Shape>& inputs) {
  return message_of([&] {
    std::vector<Tensor> tensors;
    for (const Shape& shape : inputs) tensors.push_back(zeros(shape));
    layer(tensors);
  });
}

#define EXPECT_SAYS(text, part) EXPECT_PRED2(says, text, part)
bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(LayerErrors, ShapesThatDoNotFitAreNamed) {
  const LayerRef dense = layers::Dense({.units = 2, .name = "classifier"});
  dense(zeros({4, 784}));
  const std::string text = calling(dense, {{32, 28, 28}});
  EXPECT_SAYS(text, "[dense] expects last dim 784, got input (32, 28, 28).");
  EXPECT_SAYS(text, "layer \"classifier\", created layer_errors_test.cpp:");
  EXPECT_SAYS(text, "Hint: add Flatten before it.");

  const LayerRef conv = layers::Conv2D({.filters = 2, .kernel_size = {3, 3}});
  EXPECT_SAYS(calling(conv, {{32, 28, 28}}),
              "[conv2d] expects images (batch, height, width, channels), got input (32, 28, 28).");
  conv(zeros({1, 5, 5, 3}));
  EXPECT_SAYS(calling(conv, {{1, 5, 5, 1}}),
              "[conv2d] expects 3 channels, got input (1, 5, 5, 1).");
  EXPECT_SAYS(calling(conv, {{1, 2, 5, 3}}),
              "[conv2d] a window of (3, 3) does not fit into images (1, 2, 5, 3).");
  EXPECT_SAYS(calling(layers::MaxPooling2D(), {{1, 1, 5, 3}}), "does not fit into images");
  EXPECT_SAYS(calling(layers::GlobalMaxPooling2D(), {{1, 5}}), "got input (1, 5)");
  EXPECT_SAYS(calling(layers::Reshape({.target_shape = {5, 3}}), {{2, 12}}),
              "[reshape] cannot turn samples (12,) (12 elements) into (5, 3).");
  EXPECT_SAYS(calling(layers::Permute({.dims = {2, 1}}), {{2, 3}}),
              "[permute] expects input with 3 dimensions");
  EXPECT_SAYS(calling(layers::BatchNormalization({.axis = 3}), {{2, 3}}), "axis 3 is out of range");
  EXPECT_SAYS(calling(layers::Rescaling({.scale = {1, 2, 3}}), {{2, 2}}), "3 numbers as scale");
  EXPECT_SAYS(calling(layers::Add(), {{2, 3}, {2, 4}}),
              "[add] inputs (2, 3), (2, 4) cannot be broadcast together.");
  EXPECT_SAYS(calling(layers::Add(), {{2, 3}, {4, 3}}), "[add] cannot merge different batch sizes");
  EXPECT_SAYS(calling(layers::Concatenate(), {{2, 3, 1}, {2, 4, 1}}),
              "[concatenate] inputs (2, 3, 1), (2, 4, 1) differ outside axis -1.");
}

TEST(LayerErrors, UnknownDimensionsAreRefusedAtBuild) {
  EXPECT_SAYS(message_of([] {
                layers::Dense({.units = 2})->build_once({{unknown, unknown}});
              }),
              "got (None, None)");
  EXPECT_SAYS(message_of([] {
                layers::Conv2D({.filters = 2, .kernel_size = {3, 3}})
                    ->build_once({{unknown, 5, 5, unknown}});
              }),
              "needs to know the channels");
  EXPECT_SAYS(message_of([] {
                layers::BatchNormalization()->build_once({{unknown, unknown}});
              }),
              "needs to know axis -1");
}

TEST(LayerErrors, ArgumentsThatMakeNoSenseAreRefused) {
  const auto conv = [](layers::Conv2DArgs args) {
    if (args.filters == 0) args.filters = 4;
    if (args.kernel_size[0] == 0) args.kernel_size = {3, 3};
    return message_of([&] { layers::Conv2D(args); });
  };
  EXPECT_SAYS(conv({.filters = -1}), "filters must be positive, got -1.");
  EXPECT_SAYS(conv({.strides = {0, 1}}), "strides must be positive");
  EXPECT_SAYS(conv({.padding = "full"}), "unknown padding \"full\"");
  EXPECT_SAYS(conv({.groups = 3}), "4 filters cannot be split into 3 groups.");
  EXPECT_SAYS(conv({.strides = {2, 2}, .dilation_rate = {2, 2}}), "cannot both be greater than 1");
  EXPECT_SAYS(conv({.data_format = "NCHW"}), "unknown data_format \"NCHW\"");
  EXPECT_SAYS(message_of([] { layers::Dense({}); }), "[dense] units must be positive, got 0.");
  EXPECT_SAYS(message_of([] { layers::Permute({.dims = {0, 1}}); }), "each axis from 1 to 2 once");
  EXPECT_SAYS(message_of([] { layers::Reshape({.target_shape = {-1, -1}}); }), "more than one");
  EXPECT_SAYS(message_of([] { layers::ZeroPadding2D({.padding = -1}); }), "cannot be negative");
}

}  // namespace
}  // namespace stoker
