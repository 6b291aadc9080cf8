#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "kernels/kernel_testing.h"
#include "ops/elementwise/elementwise_functions.h"

namespace stoker::cpu {
namespace {

class ElementwiseFloat32 : public TargetTest {};

int64_t ordered(float x) {
  const auto bits = std::bit_cast<int32_t>(x);
  return bits < 0 ? int64_t{std::numeric_limits<int32_t>::min()} - bits : bits;
}

// The distance in ulps between the result and the correctly rounded one.
int64_t distance(float got, double exact) {
  const auto wanted = static_cast<float>(exact);
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) == std::isnan(got) ? 0 : 1 << 30;
  return std::abs(ordered(got) - ordered(wanted));
}

// Floats of every magnitude: a stride through all bit patterns, and a dense range near zero.
std::vector<float> probes() {
  std::vector<float> values{0.f,    -0.f,   1.f,   -1.f,    INFINITY, -INFINITY,
                            NAN,    88.72f, 89.f,  -104.f,  1e-40f,   3e38f,
                            -3e38f, 0.875f, 3.95f, 31000.f, 1e9f};
  for (uint32_t bits = 0; bits < 0xff000000u; bits += 1000003)
    values.push_back(std::bit_cast<float>(bits));
  for (int i = -4000; i <= 4000; ++i) values.push_back(static_cast<float>(i) * 0.0031f);
  return values;
}

void check_unary(const char* op, double (*exact)(double), int64_t allowed) {
  const auto x = probes();
  std::vector<float> y(x.size());
  const TileFunction function = find_float32_function(op);
  ASSERT_TRUE(function) << op;
  function(x.data(), x.data(), x.data(), y.data(), static_cast<int64_t>(x.size()));
  int64_t worst = 0;
  float where = 0;
  for (size_t i = 0; i < x.size(); ++i)
    if (const int64_t d = distance(y[i], exact(x[i])); d > worst) worst = d, where = x[i];
  EXPECT_LE(worst, allowed) << op << "(" << where << ")";
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST_P(ElementwiseFloat32, IsCloseToTheExactResult) {
  check_unary("exp", std::exp, 2);
  check_unary("expm1", std::expm1, 4);
  check_unary("log", std::log, 4);
  check_unary("log1p", std::log1p, 4);
  check_unary("tanh", std::tanh, 4);
  check_unary("sin", std::sin, 4);
  check_unary("cos", std::cos, 4);
  check_unary("sigmoid", sigmoid, 4);
  check_unary("erf", std::erf, 4);
  check_unary("sqrt", std::sqrt, 0);
  check_unary("floor", std::floor, 0);
  check_unary(
      "reciprocal", [](double x) { return 1 / x; }, 0);
  check_unary(
      "rsqrt", [](double x) { return 1 / std::sqrt(x); }, 1);
}

// For any position of an element, in a whole vector or in the remainder, and in place.
TEST_P(ElementwiseFloat32, DependsOnNothingButTheElement) {
  for (const char* op : {"exp", "tanh", "erf", "relu", "square", "sin"}) {
    const TileFunction function = find_float32_function(op);
    std::vector<float> x = Filler(3)(37), whole(37);
    function(x.data(), x.data(), x.data(), whole.data(), 37);
    for (int64_t i = 0; i < 37; ++i) {
      float one = x[static_cast<size_t>(i)];
      function(&one, &one, &one, &one, 1);
      EXPECT_EQ(one, whole[static_cast<size_t>(i)]) << op;
    }
    function(x.data(), x.data(), x.data(), x.data(), 37);
    EXPECT_EQ(x, whole) << op;
  }
}

TEST_P(ElementwiseFloat32, Selects) {
  const auto a = Filler(1)(45), b = Filler(2)(45);
  std::vector<uint8_t> condition(45);
  for (size_t i = 0; i < 45; ++i) condition[i] = i % 3 == 0;
  std::vector<float> out(45);
  find_float32_function("select")(condition.data(), a.data(), b.data(), out.data(), 45);
  for (size_t i = 0; i < 45; ++i) EXPECT_EQ(out[i], i % 3 == 0 ? a[i] : b[i]);
}

TEST_P(ElementwiseFloat32, KeepsNaN) {
  const float nan = NAN, one = 1;
  for (const char* op : {"maximum", "minimum", "add", "relu"}) {
    float out = 0;
    find_float32_function(op)(&nan, &one, &one, &out, 1);
    EXPECT_TRUE(std::isnan(out)) << op;
  }
  float out = 0;
  find_float32_function("maximum")(&one, &nan, &one, &out, 1);
  EXPECT_TRUE(std::isnan(out));
}

INSTANTIATE_TEST_SUITE_P(Targets, ElementwiseFloat32, ::testing::ValuesIn(supported_targets()),
                         target_name);

}  // namespace
}  // namespace stoker::cpu
