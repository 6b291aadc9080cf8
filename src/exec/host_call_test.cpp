#include "stoker/ops/host_call.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "core/host_call.h"
#include "ops/without_host_calls.h"
#include "stoker/function.h"
#include "stoker/gradient_tape.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "support/compare.h"

namespace stoker {
namespace {

using stoker::testing::near;

Array map(const Array& x, double (*f)(double)) {
  Array y(x.dtype(), x.shape());
  for (int64_t i = 0; i < x.size(); ++i)
    y.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(f(x.at(i)));
  return y;
}

std::vector<Array> sine(const std::vector<Array>& in) {
  return {map(in[0], [](double v) { return std::sin(v); })};
}
// From inputs, outputs and the outputs' gradients.
std::vector<Array> sine_gradient(const std::vector<Array>& in) {
  Array g = map(in[0], [](double v) { return std::cos(v); });
  for (int64_t i = 0; i < g.size(); ++i)
    g.mutable_data<float>()[static_cast<size_t>(i)] *= static_cast<float>(in[2].at(i));
  return {g};
}

const Array values = Array::from<float>({0.1F, -0.7F, 2, 3}, {2, 2});

std::vector<Tensor> value_and_gradient(const HostFunction& function, const Tensor& x) {
  GradientTape tape;
  const Tensor y = ops::sum(3.0 * ops::host_call(x * 2.0, function));
  return {y, tape.gradient(y, std::vector<Tensor>{x})[0]};
}

void expect_sine(const std::vector<Tensor>& got) {
  double sum = 0;
  for (int64_t i = 0; i < values.size(); ++i) {
    sum += 3 * std::sin(2 * values.at(i));
    EXPECT_NEAR(got[1].array().at(i), 6 * std::cos(2 * values.at(i)), 1e-5);
  }
  EXPECT_NEAR(got[0].item(), sum, 1e-5);
}

TEST(HostCall, ATrialLeavesItOut) {
  int calls = 0;
  const HostFunction counted([&](const std::vector<Array>& in) {
    ++calls;
    return in;
  });
  const ops::WithoutHostCalls trial;
  EXPECT_TRUE(near(ops::host_call(Tensor(values), counted).array(), values, {}));
  const TensorType other{DType::float32, {3}};
  EXPECT_TRUE(near(ops::host_call({Tensor(values)}, {other}, counted)[0].array(),
                   Array(DType::float32, {3}), {}));
  EXPECT_EQ(calls, 0);
}

TEST(HostCall, IsAFunctionWithAGradientAtOnceAndTraced) {
  const HostFunction function(sine, sine_gradient);
  expect_sine(value_and_gradient(function, values));
  const auto step =
      stoker::function([&](const Tensor& x) { return value_and_gradient(function, x); });
  expect_sine(step(Tensor(values)));
  expect_sine(step(Tensor(values)));
}

TEST(HostCall, WithoutAGradientNothingFlowsBack) {
  const auto got = value_and_gradient(HostFunction(sine), values);
  EXPECT_FALSE(got[1].defined());
}

TEST(HostCall, HasInputsAndOutputsOfAnyKind) {
  const HostFunction split([](const std::vector<Array>& in) {
    return std::vector<Array>{Array::scalar(static_cast<int32_t>(in[0].at(0) + in[1].at(0))),
                              in[1].rows(0, 1)};
  });
  const auto out = ops::host_call({Array::from<int64_t>({5}, {1}), values},
                                  {{DType::int32, {}}, {DType::float32, {1, 2}}}, split);
  EXPECT_EQ(out[0].item(), 5);
  EXPECT_EQ(out[1].array().at(1), values.at(1));
}

TEST(HostCall, WhatItThrowsComesOutOfTheStep) {
  int calls = 0;
  const HostFunction moody([&](const std::vector<Array>& in) {
    if (++calls == 2) throw std::runtime_error("not today");
    return in;
  });
  const auto step =
      stoker::function([&](const Tensor& x) { return ops::host_call(x, moody) + 1.0; });
  EXPECT_EQ(step(Tensor(values)).array().at(2), 3);
  EXPECT_THROW(step(Tensor(values)), std::runtime_error);
  EXPECT_EQ(step(Tensor(values)).array().at(2), 3);
}

TEST(HostCall, ResultsOfAnotherTypeAreRefused) {
  const HostFunction half(
      [](const std::vector<Array>& in) { return std::vector<Array>{in[0].rows(0, 1)}; });
  try {
    ops::host_call(values, half).array();
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("float32(1, 2)"), std::string::npos) << what;
    EXPECT_NE(what.find("float32(2, 2)"), std::string::npos) << what;
  }
}

TEST(HostCallThreads, EachHasItsOwnTime) {
  const HostFunction same([](const std::vector<Array>& in) { return in; });
  const int64_t before = host_call_nanoseconds();
  std::thread([&] {
    ops::host_call(Tensor(values), same);
    EXPECT_GT(host_call_nanoseconds(), 0);
  }).join();
  EXPECT_EQ(host_call_nanoseconds(), before);
}

}  // namespace
}  // namespace stoker
