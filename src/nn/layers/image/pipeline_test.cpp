#include "stoker/layers/pipeline.h"

#include <gtest/gtest.h>

#include "nn/test_models.h"
#include "stoker/layers/image.h"
#include "stoker/layers/rescaling.h"

namespace stoker {
namespace {

using namespace test;

// Random layers inside a Pipeline draw only in training, and their random state is part of the
// training state.
TEST(Pipeline, PassesTrainingOn) {
  const auto layer = layers::Pipeline(
      {{layers::Rescaling({.scale = 0.5}), layers::RandomBrightness({.factor = 0.5, .seed = 1})}});
  const Array x = Array::from<float>({100, 150, 200, 250}, {1, 2, 2, 1});
  EXPECT_EQ(layer(x).array().at(3), 125);
  const double first = layer(x, {.training = true}).array().at(3);
  EXPECT_NE(first, 125);
  EXPECT_NE(layer(x, {.training = true}).array().at(3), first);
  EXPECT_EQ(layer->hidden_states().size(), 1u);
}

TEST(Pipeline, TrainsInAModel) {
  const auto data = samples(64);
  Sequential model(
      {layers::Pipeline({{layers::Dense({.units = 8, .activation = "relu"}),
                          layers::Dense({.units = classes, .activation = "softmax"})}})});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.05}),
                 .loss = {"sparse_categorical_crossentropy"}});
  const auto losses = model.fit(data.x, data.y, {.epochs = 20, .verbose = 0})["loss"];
  EXPECT_LT(losses.back(), 0.9 * losses.front());
  EXPECT_EQ(model.get_weights().size(), 4u);
}

TEST(Pipeline, NeedsLayers) {
  EXPECT_ERROR(layers::Pipeline({}), "[pipeline] needs at least one layer.");
  EXPECT_ERROR(layers::Pipeline({{LayerRef()}}), "[pipeline] contains an empty LayerRef.");
}

}  // namespace
}  // namespace stoker
