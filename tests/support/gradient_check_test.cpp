#include "support/gradient_check.h"

#include <gtest/gtest.h>

#include "support/random_values.h"

// Wrong gradients must be found, also if they are wrong in a few elements only.
namespace stoker::testing {
namespace {

// Every element times its column, and its neighbour below: f and its gradient.
constexpr int64_t rows = 90, columns = 90;
const Array x = random_values({rows, columns}, 1), weights = random_values({rows, columns}, 2);

Array f(const Array& at) {
  Array y(DType::float64, at.shape());
  for (int64_t i = 0; i < y.size(); ++i) {
    const double below = i + columns < y.size() ? at.at(i + columns) : 0;
    y.mutable_data<double>()[static_cast<size_t>(i)] =
        at.at(i) * at.at(i) * static_cast<double>(1 + i % columns) + 3 * below;
  }
  return y;
}

Array gradient() {
  Array g(DType::float64, x.shape());
  for (int64_t i = 0; i < g.size(); ++i) {
    const double above = i >= columns ? weights.at(i - columns) : 0;
    g.mutable_data<double>()[static_cast<size_t>(i)] =
        2 * x.at(i) * static_cast<double>(1 + i % columns) * weights.at(i) + 3 * above;
  }
  return g;
}

std::string found_in(const Array& g) { return gradient_mismatch(f, x, weights, g); }

TEST(GradientCheck, AcceptsTheGradient) { EXPECT_EQ(found_in(gradient()), ""); }

TEST(GradientCheck, FindsOneWrongFactor) {
  for (const size_t element : {1u, 1234u, 4321u, 8098u}) {
    Array g = gradient();
    g.mutable_data<double>()[element] *= 1.001;
    EXPECT_NE(found_in(g), "") << element;
  }
}

TEST(GradientCheck, FindsATermMissingAtAnEdge) {
  Array g = gradient();
  for (int64_t i = columns * (rows - 1); i < g.size(); ++i)
    g.mutable_data<double>()[static_cast<size_t>(i)] -= 3 * weights.at(i - columns);
  EXPECT_NE(found_in(g), "");
}

TEST(GradientCheck, FindsSwappedAxes) {
  Array g = gradient();
  const Array right = gradient();
  for (int64_t i = 0; i < g.size(); ++i)
    g.mutable_data<double>()[static_cast<size_t>(i)] = right.at(i % rows * columns + i / rows);
  EXPECT_NE(found_in(g), "");
}

TEST(GradientCheck, FindsZerosAndAnotherShape) {
  EXPECT_NE(found_in(Array(DType::float64, x.shape())), "");
  EXPECT_NE(found_in(gradient().reshape({columns * rows})), "");
}

}  // namespace
}  // namespace stoker::testing
