#include <gtest/gtest.h>

#include <cmath>

#include "stoker/gradient_tape.h"
#include "stoker/layers.h"

// A padded time step is a zero vector, which must not make the gradients of the others NaN.
namespace stoker {
namespace {

const Array vectors = Array::from<float>({0, 0, 3, 4}, {2, 2});

TEST(UnitNormalization, PassesAFiniteGradientThroughZeros) {
  const Tensor x = vectors;
  GradientTape tape;
  const Array gradient = tape.gradient(layers::UnitNormalization()(x), std::vector{x})[0].array();
  EXPECT_FLOAT_EQ(static_cast<float>(gradient.at(0)), 1e12f);  // as Keras on TensorFlow
  EXPECT_NEAR(gradient.at(2), 0.032, 1e-6);
  EXPECT_NEAR(gradient.at(3), -0.024, 1e-6);
}

TEST(Dot, PassesAFiniteGradientThroughZerosThatItNormalizes) {
  const Tensor x = vectors, other = Array::from<float>({1, 0, 1, 0}, {2, 2});
  GradientTape tape;
  const Tensor y = layers::Dot({.axes = {1}, .normalize = true})({x, other});
  const Array gradient = tape.gradient(y, std::vector{x})[0].array();
  EXPECT_FLOAT_EQ(static_cast<float>(gradient.at(0)), 1e7f);
  EXPECT_NEAR(gradient.at(2), 0.128, 1e-6);
}

}  // namespace
}  // namespace stoker
