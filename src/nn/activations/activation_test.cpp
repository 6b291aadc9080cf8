#include "stoker/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "stoker/activations.h"
#include "stoker/error.h"
#include "stoker/gradient_tape.h"

namespace stoker {
namespace {

const std::vector<float> points{-2.5f, -1.25f, -0.75f, -0.3f, 0.2f, 0.6f, 1.5f, 3.5f};

double log1pexp(double x) { return std::log1p(std::exp(x)); }

// Functions that the golden files do not contain, from their definitions.
const std::map<std::string, std::function<double(double)>> definitions{
    {"celu", [](double x) { return x > 0 ? x : std::expm1(x); }},
    {"squareplus", [](double x) { return (x + std::sqrt(x * x + 4)) / 2; }},
    {"sparse_plus", [](double x) { return x <= -1 ? 0
                                          : x < 1 ? (x + 1) * (x + 1) / 4
                                                  : x; }},
    {"sparse_sigmoid", [](double x) { return x <= -1 ? 0
                                             : x < 1 ? (x + 1) / 2
                                                     : 1; }},
    {"log_sigmoid", [](double x) { return -log1pexp(-x); }},
    {"hard_tanh", [](double x) { return std::clamp(x, -1.0, 1.0); }},
    {"tanh_shrink", [](double x) { return x - std::tanh(x); }},
    {"hard_shrink", [](double x) { return std::abs(x) > 0.5 ? x : 0; }},
    {"soft_shrink", [](double x) { return x > 0.5    ? x - 0.5
                                          : x < -0.5 ? x + 0.5
                                                     : 0; }},
};

TEST(Activation, ValuesAndGradientsFollowTheDefinitions) {
  for (const auto& [name, f] : definitions) {
    SCOPED_TRACE(name);
    const Tensor x(Array::from(points, {8}));
    GradientTape tape;
    const Tensor y = Activation(name)(x);
    const Array gradient = tape.gradient(y, std::vector{x})[0].array(), value = y.array();
    for (int i = 0; i < 8; ++i) {
      const double at = points[static_cast<size_t>(i)], h = 1e-4;
      EXPECT_NEAR(value.at(i), f(at), 1e-6) << at;
      EXPECT_NEAR(gradient.at(i), (f(at + h) - f(at - h)) / (2 * h), 1e-4) << at;
    }
  }
}

TEST(Activation, SparsemaxGivesNothingToWhatIsMinusInfinite) {
  const Array y = activations::sparsemax(Array::from<float>({3, -INFINITY, 1}, {1, 3})).array();
  EXPECT_EQ(y.at(0), 1);
  EXPECT_EQ(y.at(1), 0);
  EXPECT_EQ(y.at(2), 0);
}

TEST(Activation, EveryNameIsFiniteFarOutWithItsGradient) {
  for (const std::string& name : activation_names()) {
    if (name == "exponential") continue;
    SCOPED_TRACE(name);
    const Tensor x(Array::from<float>({-1e4f, -200, 0, 200, 1e4f, 0}, {1, 6}));
    GradientTape tape;
    const Tensor y = Activation(name)(x);
    const Array gradient = tape.gradient(y, std::vector{x})[0].array(), value = y.array();
    for (int64_t i = 0; i < value.size(); ++i) EXPECT_TRUE(std::isfinite(value.at(i))) << i;
    for (int64_t i = 0; i < gradient.size(); ++i) EXPECT_TRUE(std::isfinite(gradient.at(i))) << i;
  }
}

TEST(Activation, SoftplusHasTheRightGradientAtZero) {
  const Tensor x(Array::from<float>({0}, {1}));
  GradientTape tape;
  EXPECT_FLOAT_EQ(
      static_cast<float>(tape.gradient(Activation("softplus")(x), std::vector{x})[0].item()), 0.5f);
}

// Losses that divide by the value or take its logarithm amplify an error of the gradient.
TEST(Activation, SoftplusHasAnExactGradientWhereItIsSmall) {
  const std::vector<float> places{-5, -12, -20, -60};
  const Tensor x(Array::from<float>(places, {4}));
  GradientTape tape;
  const Array gradient = tape.gradient(Activation("softplus")(x), std::vector{x})[0].array();
  for (size_t i = 0; i < places.size(); ++i) {
    const double exact = 1 / (1 + std::exp(-static_cast<double>(places[i])));
    EXPECT_NEAR(gradient.at(static_cast<int64_t>(i)) / exact, 1, 1e-6) << places[i];
  }
}

TEST(Activation, ArgumentsAreKeras) {
  const Tensor x(Array::from<float>({-2, 0.5, 3, 9}, {4}));
  const Array y =
      activations::relu(x, {.negative_slope = 0.5, .max_value = 6, .threshold = 1}).array();
  EXPECT_FLOAT_EQ(static_cast<float>(y.at(0)), -1.5f);
  EXPECT_FLOAT_EQ(static_cast<float>(y.at(1)), -0.25f);
  EXPECT_FLOAT_EQ(static_cast<float>(y.at(2)), 3);
  EXPECT_FLOAT_EQ(static_cast<float>(y.at(3)), 6);
  EXPECT_NEAR(activations::gelu(x, true).array().at(1), 0.345714, 1e-6);
  EXPECT_NEAR(activations::glu(x).array().at(1), 0.5 / (1 + std::exp(-9.0)), 1e-6);
}

TEST(Activation, UnknownNameSaysWhatWasMeant) {
  EXPECT_EQ(Activation("swish").name(), "silu");
  try {
    Activation("rleu");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.message(), "unknown activation \"rleu\".");
    EXPECT_NE(error.hint().find("\"relu\""), std::string::npos) << error.hint();
  }
}

}  // namespace
}  // namespace stoker
