#include "stoker/gradient_tape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stoker/function.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker {
namespace {

Tensor number(double value) { return Tensor(Array::scalar(value)); }
Variable variable(double value) { return Variable(Array::scalar(value), "v"); }

TEST(GradientTape, ASourceThatIsNotReachedGivesAnUndefinedTensor) {
  const Variable used = variable(3), unused = variable(4);
  GradientTape tape;
  const Tensor y = ops::square(used);
  const auto gradients = tape.gradient(y, std::vector{used, unused});
  EXPECT_EQ(gradients[0].item(), 6);
  EXPECT_FALSE(gradients[1].defined());
}

// Also if the same scalar occurs several times, wherever it is stored.
TEST(GradientTape, EqualScalarsAreTensorsOfTheirOwn) {
  const Variable v = variable(3);
  GradientTape tape;
  const Tensor one = v.read() * number(5), other = v.read() * number(5);
  EXPECT_EQ(tape.gradient(one + other * number(5), std::vector{v})[0].item(), 30);
  EXPECT_EQ(number(5).item() + number(-5).item() + number(7).item(), 7);
}

TEST(GradientTape, ReadsOfAVariableAddUp) {
  const Variable v = variable(3);
  GradientTape tape;
  const Tensor y = v.read() * v.read() + v.read();
  EXPECT_EQ(tape.gradient(y, std::vector{v})[0].item(), 7);
}

TEST(GradientTape, StopGradientStops) {
  const Tensor x = number(3);
  GradientTape tape;
  const Tensor y = x * ops::stop_gradient(x);
  EXPECT_EQ(tape.gradient(y, std::vector{x})[0].item(), 3);
}

TEST(GradientTape, SecondDerivatives) {
  const auto second = [](auto f, double at) {
    const Tensor x = number(at);
    GradientTape outer;
    Tensor first;
    {
      GradientTape inner;
      first = inner.gradient(f(x), std::vector{x})[0];
    }
    return outer.gradient(first, std::vector{x})[0].item();
  };
  EXPECT_NEAR(second([](const Tensor& x) { return x * x * x; }, 2), 12, 1e-12);
  EXPECT_NEAR(second([](const Tensor& x) { return ops::exp(x); }, 0.5), std::exp(0.5), 1e-12);
  EXPECT_NEAR(second([](const Tensor& x) { return ops::sin(x); }, 0.5), -std::sin(0.5), 1e-12);
}

// Traced and untraced code agree on which reads a tape sees.
TEST(GradientTape, ReadsFromBeforeTheTapeAreConstants) {
  const Variable v = variable(3);
  const auto body = [v](const Tensor& x) {
    const Tensor before = v;
    GradientTape tape;
    return tape.gradient(before * v * x, std::vector{v})[0];
  };
  EXPECT_EQ(body(number(2)).item(), 6);
  EXPECT_EQ(function(body)(number(2)).item(), 6);
}

TEST(Function, ReturnsAVariablesValueFromBeforeTheStep) {
  const Variable v = variable(3);
  const auto step = function([v](const Tensor& x) {
    const Tensor before = v;
    v.assign(before + x);
    return std::vector<Tensor>{before, v};
  });
  const auto out = step(number(2));
  EXPECT_EQ(out[0].item(), 3);
  EXPECT_EQ(out[1].item(), 5);
  EXPECT_EQ(v.array().at(0), 5);
}

TEST(Function, SwapsTwoVariables) {
  const Variable a = variable(1), b = variable(2);
  const auto swap = function([a, b](const Tensor&) {
    const Tensor old = a;
    a.assign(b);
    b.assign(old);
  });
  for (double expected : {2.0, 1.0, 2.0}) {
    swap(number(0));
    EXPECT_EQ(a.array().at(0), expected);
    EXPECT_EQ(b.array().at(0), 3 - expected);
  }
}

}  // namespace
}  // namespace stoker
