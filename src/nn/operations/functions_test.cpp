#include <gtest/gtest.h>

#include <cmath>

#include "nn/operations/operation.h"
#include "nn/saving/call_arguments.h"
#include "stoker/gradient_tape.h"

namespace stoker::nn {
namespace {

Tensor applied(const char* operation, const Config& config, const std::vector<Tensor>& inputs) {
  const LayerRef layer =
      Registry<OperationRef>::instance()
          .make(Config::map({{"class_name", operation}, {"config", config}}), "operation")
          .layer;
  Config::List values;
  for (size_t i = 0; i < inputs.size(); ++i) values.push_back(call_tensor(i));
  CallArgs args;
  args.options = Config::map({{"args", values}, {"kwargs", Config::map()}});
  return layer->call_all(inputs, args)[0];
}

struct Case {
  const char* name;
  double (*exact)(double);
};
const Case cases[] = {{"Sinh", std::sinh},   {"Cosh", std::cosh},     {"Tan", std::tan},
                      {"Arcsin", std::asin}, {"Arctanh", std::atanh}, {"Arcsinh", std::asinh},
                      {"Log10", std::log10}, {"Exp2", std::exp2},     {"Cbrt", std::cbrt}};

// Functions composed of several ops do not round intermediate results to float16.
TEST(Functions, OfHalfPrecisionAreRoundedOnce) {
  std::vector<float> places;
  for (int i = 1; i < 200; ++i) places.push_back(static_cast<float>(i) / 256);
  const Array x = Array::from<float>(places, {199}).astype(DType::float16);
  for (const auto& [name, exact] : cases) {
    const Array y = applied(name, Config::map(), {x}).array();
    ASSERT_EQ(y.dtype(), DType::float16) << name;
    for (int64_t i = 0; i < x.size(); ++i) {
      const double wanted = exact(x.at(i));
      EXPECT_NEAR(y.at(i), wanted, std::abs(wanted) * 4.9e-4) << name << " of " << x.at(i);
    }
  }
}

// The gradients of max and |x| at 0 would not add up to sigmoid(0).
TEST(Functions, BinaryCrossentropyOfLogitsHasItsSlopeAtZero) {
  const Tensor x = Array::from<float>({0, 0}, {2}), target = Array::from<float>({0, 1}, {2});
  GradientTape tape;
  const Tensor y = applied("BinaryCrossentropy", Config::map({{"from_logits", true}}), {target, x});
  const Array slope = tape.gradient(y, std::vector{x})[0].array();
  EXPECT_EQ(slope.at(0), 0.5);
  EXPECT_EQ(slope.at(1), -0.5);
}

void expect_integers(const Tensor& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.dtype(), DType::int32);
  const Array values = found.array();
  for (int64_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values.at(i), wanted[static_cast<size_t>(i)]) << i;
}

// As in Keras, results are truncated.
TEST(Functions, GiveIntegersBackToIntegers) {
  const Tensor row = Array::from<int32_t>({0, 2, 4, 10}, {1, 4});
  expect_integers(applied("LayerNorm", Config::map(), {row}), {-1, 0, 0, 1});
  expect_integers(applied("RMSNorm", Config::map(), {row}), {0, 0, 0, 1});
  const Tensor pixel = Array::from<int32_t>({10, 200, 30}, {1, 1, 1, 3});
  const Config last = Config::map({{"data_format", "channels_last"}});
  expect_integers(applied("RGBToGrayscale", last, {pixel}), {123});  // 123.809
}

TEST(Functions, SparseCategoricalCrossentropyTakesIntegersAsLogits) {
  const Tensor label = Array::from<int32_t>({1}, {1}), row = Array::from<int32_t>({0, 1}, {1, 2});
  const Config logits = Config::map({{"from_logits", true}});
  const Array loss = applied("SparseCategoricalCrossentropy", logits, {label, row}).array();
  EXPECT_NEAR(loss.at(0), std::log(1 + std::exp(-1.0)), 1e-6);
}

}  // namespace
}  // namespace stoker::nn
