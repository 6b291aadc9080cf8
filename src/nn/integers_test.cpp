#include <gtest/gtest.h>

#include "nn/test_models.h"
#include "stoker/activations.h"
#include "stoker/io.h"
#include "stoker/layer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

// Layers that compute in floats treat integers and bools like the same values in float32. So does
// Keras on JAX; on TensorFlow some of these layers refuse them.
namespace stoker {
namespace {

struct Case {
  const char* name;
  const char* config;
  Shape shape;
};

class OnIntegers : public ::testing::TestWithParam<Case> {};

Array whole(const Shape& shape, DType dtype) {
  Array numbers = test::random_array(shape);
  for (float& value : numbers.mutable_data<float>())
    value = dtype == DType::uint8 ? std::abs(std::round(value * 5)) : std::round(value * 5);
  return numbers.astype(dtype);
}

TEST_P(OnIntegers, IsAsOnFloats) {
  const auto& [name, config, shape] = GetParam();
  for (const DType dtype : {DType::int32, DType::uint8, DType::boolean, DType::int64}) {
    const LayerRef layer = make_layer_from_config(name, parse_json(config));
    const Array x = whole(shape, dtype);
    const Tensor wanted = layer(Tensor(x.astype(DType::float32)));
    const Tensor found = layer(Tensor(x));
    EXPECT_EQ(found.dtype(), DType::float32) << name_of(dtype);
    EXPECT_LT(test::difference(found.array(), wanted.array()), 1e-5) << name_of(dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layers, OnIntegers,
    ::testing::Values(
        Case{"PReLU", "{}", {3, 4}}, Case{"ELU", "{}", {3, 4}}, Case{"LeakyReLU", "{}", {3, 4}},
        Case{"Softmax", "{}", {3, 4}}, Case{"Activation", R"({"activation": "gelu"})", {3, 4}},
        Case{"Activation", R"({"activation": "sigmoid"})", {3, 4}},
        Case{"Activation", R"({"activation": "hard_sigmoid"})", {3, 4}},
        Case{"Activation", R"({"activation": "softplus"})", {3, 4}},
        Case{"UnitNormalization", "{}", {3, 4}}, Case{"BatchNormalization", "{}", {3, 4}},
        Case{"Dense", R"({"units": 2})", {3, 4}}, Case{"LSTM", R"({"units": 2})", {2, 3, 4}},
        Case{"Conv1D", R"({"filters": 2, "kernel_size": 2})", {2, 5, 3}},
        Case{"Conv2D", R"({"filters": 2, "kernel_size": 2})", {2, 4, 4, 3}},
        Case{"Conv2DTranspose", R"({"filters": 2, "kernel_size": 2})", {2, 4, 4, 3}},
        Case{"DepthwiseConv2D", R"({"kernel_size": 2})", {2, 4, 4, 3}},
        Case{"AveragePooling2D", R"({"pool_size": 2})", {2, 4, 4, 3}},
        Case{"GlobalAveragePooling2D", "{}", {2, 4, 4, 3}}),
    [](const auto& one) { return std::string(one.param.name) + "_" + std::to_string(one.index); });

// Functions, as tensors cannot be created during static initialisation.
Tensor ints() { return Array::from<int32_t>({-3, -1, 2, 5}, {4}); }
Tensor floats() { return Array::from<float>({0.5f, 1.5f, -2, 0}, {4}); }

void expect_values(const Tensor& found, DType dtype, const std::vector<double>& wanted) {
  EXPECT_EQ(found.dtype(), dtype);
  const Array array = found.array();
  ASSERT_EQ(array.size(), static_cast<int64_t>(wanted.size()));
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(array.at(static_cast<int64_t>(i)), wanted[i], 1e-6) << i;
}

TEST(Integers, StayIntegersBelowAFractionalMaximum) {
  expect_values(activations::relu(ints(), {.max_value = 2.5}), DType::int32, {0, 0, 2, 2});
}

TEST(Integers, MeetFloatsAsFloats) {
  expect_values(ints() + floats(), DType::float32, {-2.5, 0.5, 0, 5});
  expect_values(ops::maximum(floats(), ints()), DType::float32, {0.5, 1.5, 2, 5});
  expect_values(ops::concatenate({ints(), floats()}, 0), DType::float32,
                {-3, -1, 2, 5, 0.5, 1.5, -2, 0});
  expect_values(ops::where(ints(), floats(), ints()), DType::float32, {0.5, 1.5, -2, 0});
}

TEST(Integers, StayIntegersAmongThemselves) {
  const Tensor bools = Array::from<int32_t>({1, 0, 0, 1}, {4}).astype(DType::boolean);
  expect_values(ints() + bools, DType::int32, {-2, -1, 2, 6});
  expect_values(ops::sum(bools), DType::int32, {2});
  const Tensor bytes = Array::from<int32_t>({200, 100, 50, 255}, {4}).astype(DType::uint8);
  expect_values(ops::sum(bytes), DType::int32, {605});
  expect_values(ints() * bytes, DType::int32, {-600, -100, 100, 1275});
  const Tensor rows = ops::reshape(ints(), {2, 2});
  expect_values(ops::matmul(rows, rows), DType::int32, {7, -2, 4, 23});
}

TEST(Integers, HaveMeansAndQuotientsWithFractions) {
  expect_values(ops::mean(ints()), DType::float32, {0.75});
  expect_values(ints() / 2.0, DType::float32, {-1.5, -0.5, 1, 2.5});
  expect_values(ints() * 0.5, DType::float32, {-1.5, -0.5, 1, 2.5});
  expect_values(ints() * 2.0, DType::int32, {-6, -2, 4, 10});
  expect_values(ops::maximum(ints(), 0.5), DType::float32, {0.5, 0.5, 2, 5});
}

TEST(Integers, TakeADefaultWithAFraction) {
  expect_values(activations::threshold(ints(), 1, -1.5), DType::float32, {-1.5, -1.5, 2, 5});
}

// A number slightly above -1 truncates to 0, but to -1 if it is rounded to float16 first.
TEST(IntegersOfFloat16, AreCutFromFloat32) {
  const LayerRef layer = make_layer_from_config(
      "LayerNormalization", parse_json(R"({"axis": -1, "dtype": "mixed_float16"})"));
  const Array y = layer(Array::from<int32_t>({1, 4}, {1, 2})).array();
  EXPECT_EQ(y.at(0), 0);  // 1.5 / sqrt(1.5 * 1.5 + 0.001) is 0.99978
}

}  // namespace
}  // namespace stoker
