#include <gtest/gtest.h>

#include <cmath>

#include "stoker/layers.h"

namespace stoker {
namespace {

const Array row = Array::from<float>({-2, -1, 1, 8}, {1, 4});

void expect_values(const Tensor& got, const std::vector<double>& want) {
  const Array values = got.array();
  ASSERT_EQ(values.size(), static_cast<int64_t>(want.size()));
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(values.at(static_cast<int64_t>(i)), want[i], 1e-5) << i;
}

TEST(NamedActivations, TakeKerasArguments) {
  expect_values(layers::ReLU({.max_value = 6, .negative_slope = 0.5})(row), {-1, -0.5, 1, 6});
  expect_values(layers::LeakyReLU()(row), {-0.6, -0.3, 1, 8});
  expect_values(layers::ELU({.alpha = 2})(row), {2 * std::expm1(-2.0), 2 * std::expm1(-1.0), 1, 8});
  expect_values(layers::Softmax({.axis = 0})(row), {1, 1, 1, 1});
  const LayerRef prelu = layers::PReLU({.alpha_initializer = "ones"});
  expect_values(prelu(row), {-2, -1, 1, 8});
  prelu->set_weights({Array::from<float>({0, 0.5, 0.5, 0.5}, {4})});
  expect_values(prelu(row), {0, -0.5, 1, 8});
}

TEST(Merging, LowerRanksGetDimensionsAfterTheBatch) {
  const Array cube = Array::from<float>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  const Array matrix = Array::from<float>({10, 20, 30, 40}, {2, 2});
  expect_values(layers::Add()({cube, matrix}), {11, 22, 13, 24, 35, 46, 37, 48});
  expect_values(layers::Multiply()({matrix, cube}), {10, 40, 30, 80, 150, 240, 210, 320});
}

TEST(Rescaling, TakesANumberForEachChannel) {
  const Array pixels = Array::from<uint8_t>({0, 255, 10, 100}, {1, 2, 2});
  const Tensor y = layers::Rescaling({.scale = {2, 0.5}, .offset = {1, -1}})(pixels);
  EXPECT_EQ(y.dtype(), DType::float32);
  expect_values(y, {1, 126.5, 21, 49});
  EXPECT_EQ(layers::Rescaling({.scale = 2.0})->get_config().find("scale")->as_double(), 2);
}

TEST(InputLayer, SaysWhatTheModelTakes) {
  EXPECT_EQ(layers::InputLayer({.shape = {28, 28}})->input_shape, (Shape{28, 28}));
  EXPECT_EQ(layers::InputLayer({.batch_shape = {unknown, 7}})->input_shape, (Shape{7}));
}

}  // namespace
}  // namespace stoker
