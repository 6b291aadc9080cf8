#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/elementwise/elementwise_ops.h"
#include "core/half.h"
#include "ops/elementwise/elementwise_functions.h"

namespace stoker::cpu {
namespace {

template <class Out, class In>
Out apply(const char* op, DType in, DType out, In a, In b) {
  const TileFunction function = find_typed_function(op, in, out);
  EXPECT_TRUE(function) << op << " " << name_of(in);
  Out result{};
  if (function) function(&a, &b, &b, &result, 1);
  return result;
}

template <class T>
T compute(const char* op, T a, T b = T{0}) {
  return apply<T>(op, dtype_of<T>, dtype_of<T>, a, b);
}

template <class T>
class ElementwiseTyped : public ::testing::Test {};
using Types = ::testing::Types<float, double, int8_t, uint8_t, int32_t, int64_t>;
TYPED_TEST_SUITE(ElementwiseTyped, Types);

TYPED_TEST(ElementwiseTyped, Computes) {
  using T = TypeParam;
  const T two{2}, three{3}, seven{7};
  EXPECT_EQ(compute("add", two, three), T{5});
  EXPECT_EQ(compute("subtract", seven, two), T{5});
  EXPECT_EQ(compute("multiply", two, three), T{6});
  EXPECT_EQ(compute("divide", T{8}, two), T{4});
  EXPECT_EQ(compute("maximum", two, three), three);
  EXPECT_EQ(compute("minimum", two, three), two);
  EXPECT_EQ(compute("power", three, two), T{9});
  EXPECT_EQ(compute("power", two, T{0}), T{1});
  EXPECT_EQ(compute("relu_grad", seven, two), seven);
  EXPECT_EQ(compute("relu_grad", seven, T{0}), T{0});
  EXPECT_EQ(compute("square", three), T{9});
  EXPECT_EQ(compute("abs", three), three);
  EXPECT_EQ(compute("sign", three), T{1});
  EXPECT_EQ(compute("relu", three), three);
  EXPECT_EQ(compute("negative", T{0}), T{0});
  EXPECT_EQ(compute("copy", seven), seven);
}

TYPED_TEST(ElementwiseTyped, Compares) {
  using T = TypeParam;
  const auto compare = [](const char* op, T a, T b) {
    return apply<uint8_t>(op, dtype_of<T>, DType::boolean, a, b);
  };
  const char* ops[] = {"equal", "not_equal", "greater", "greater_equal", "less", "less_equal"};
  const int below[] = {0, 1, 0, 0, 1, 1}, same[] = {1, 0, 0, 1, 0, 1}, above[] = {0, 1, 1, 1, 0, 0};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(compare(ops[i], T{1}, T{2}), below[i]) << ops[i];
    EXPECT_EQ(compare(ops[i], T{2}, T{2}), same[i]) << ops[i];
    EXPECT_EQ(compare(ops[i], T{3}, T{2}), above[i]) << ops[i];
  }
}

// For every op with expressions for both; fractions are truncated.
TYPED_TEST(ElementwiseTyped, IntegersAgreeWithDoubles) {
  using T = TypeParam;
  for (const ElementwiseOp& op : elementwise_table)
    for (const auto& [a, b] : {std::pair{3, 1}, {5, 2}, {5, 3}, {4, 4}}) {
      if (!op.integers || !op.floats) continue;
      SCOPED_TRACE(fmt::format("{}({}, {})", op.name, a, b));
      if (op.gives == ElementwiseOp::Gives::boolean) {
        EXPECT_EQ((apply<uint8_t>(op.name, dtype_of<T>, DType::boolean, T(a), T(b))),
                  (apply<uint8_t>(op.name, DType::float64, DType::boolean, 1.0 * a, 1.0 * b)));
      } else if (std::is_integral_v<T>) {
        EXPECT_EQ(compute<T>(op.name, T(a), T(b)),
                  T(int64_t(compute<double>(op.name, 1.0 * a, 1.0 * b))));
      }
    }
}

TEST(ElementwiseScalars, NegativeNumbers) {
  EXPECT_EQ(compute<int32_t>("divide", -7, 2), -3);
  EXPECT_EQ(compute<int32_t>("divide", 7, 0), 0);
  EXPECT_EQ(compute<int32_t>("divide", INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(compute<int32_t>("power", -2, 3), -8);
  EXPECT_EQ(compute<int32_t>("power", 2, -1), 0);
  EXPECT_EQ(compute<int32_t>("power", -1, -3), -1);
  EXPECT_EQ(compute<float>("power", -2, 3), -8);
  EXPECT_TRUE(std::isnan(compute<float>("power", -2, 0.5f)));
  EXPECT_EQ(compute<int64_t>("abs", -5), 5);
  EXPECT_EQ(compute<int8_t>("add", 127, 1), -128);
  EXPECT_EQ(compute<uint8_t>("multiply", 200, 2), 144);
  EXPECT_EQ(compute<double>("sign", -0.5), -1);
  EXPECT_EQ(compute<double>("relu", -0.5), 0);
  EXPECT_TRUE(std::isnan(compute<double>("maximum", 1, NAN)));
  EXPECT_TRUE(std::isnan(compute<double>("sign", NAN)));
}

TEST(ElementwiseScalars, DoublesAreTheStandardLibrarys) {
  const double x = 0.7;
  EXPECT_DOUBLE_EQ(compute("exp", x), std::exp(x));
  EXPECT_DOUBLE_EQ(compute("log", x), std::log(x));
  EXPECT_DOUBLE_EQ(compute("log1p", x), std::log1p(x));
  EXPECT_DOUBLE_EQ(compute("expm1", x), std::expm1(x));
  EXPECT_DOUBLE_EQ(compute("sqrt", x), std::sqrt(x));
  EXPECT_DOUBLE_EQ(compute("rsqrt", x), 1 / std::sqrt(x));
  EXPECT_DOUBLE_EQ(compute("reciprocal", x), 1 / x);
  EXPECT_DOUBLE_EQ(compute("floor", -x), -1);
  EXPECT_DOUBLE_EQ(compute("sin", x), std::sin(x));
  EXPECT_DOUBLE_EQ(compute("cos", x), std::cos(x));
  EXPECT_DOUBLE_EQ(compute("tanh", x), std::tanh(x));
  EXPECT_DOUBLE_EQ(compute("sigmoid", x), 1 / (1 + std::exp(-x)));
  EXPECT_DOUBLE_EQ(compute("erf", x), std::erf(x));
}

TEST(ElementwiseScalars, Bools) {
  const auto logic = [](const char* op, uint8_t a, uint8_t b) {
    return apply<uint8_t>(op, DType::boolean, DType::boolean, a, b);
  };
  EXPECT_EQ(logic("logical_and", 1, 0), 0);
  EXPECT_EQ(logic("logical_or", 1, 0), 1);
  EXPECT_EQ(logic("logical_not", 1, 0), 0);
  EXPECT_EQ(logic("add", 1, 1), 1);
  EXPECT_EQ(logic("multiply", 1, 1), 1);
  EXPECT_EQ(apply<uint8_t>("isfinite", DType::float32, DType::boolean, INFINITY, 0.f), 0);
}

TEST(ElementwiseScalars, SelectsInEveryDtype) {
  const uint8_t condition[] = {1, 0};
  for (int d = 0; d < num_dtypes; ++d) {
    const auto dtype = static_cast<DType>(d);
    const size_t bytes = size_of(dtype);
    std::vector<uint8_t> a(2 * bytes, 1), b(2 * bytes, 2), out(2 * bytes);
    find_typed_function("select", dtype, dtype)(condition, a.data(), b.data(), out.data(), 2);
    EXPECT_EQ(out[0], 1) << name_of(dtype);
    EXPECT_EQ(out[bytes], 2) << name_of(dtype);
  }
}

// 0 and 1 are representable in all dtypes: every pair of dtypes must convert both.
TEST(ElementwiseScalars, CastsBetweenAllDtypes) {
  for (int from = 0; from < num_dtypes; ++from)
    for (int to = 0; to < num_dtypes; ++to) {
      const double in[] = {0, 1};
      std::byte stored[16], turned[16];
      double out[] = {-1, -1};
      find_cast_function(DType::float64, static_cast<DType>(from))(in, in, in, stored, 2);
      find_cast_function(static_cast<DType>(from), static_cast<DType>(to))(stored, stored, stored,
                                                                           turned, 2);
      find_cast_function(static_cast<DType>(to), DType::float64)(turned, turned, turned, out, 2);
      EXPECT_EQ(out[0], 0) << from << " " << to;
      EXPECT_EQ(out[1], 1) << from << " " << to;
    }
}

TEST(ElementwiseScalars, CastsWithTheEdges) {
  const auto to_int8 = [](float x) {
    return apply<int8_t>("cast", DType::float32, DType::int8, x, x);
  };
  EXPECT_EQ(to_int8(300), 127);
  EXPECT_EQ(to_int8(-300), -128);
  EXPECT_EQ(to_int8(-1.9f), -1);
  EXPECT_EQ(to_int8(NAN), 0);
  EXPECT_EQ(apply<int64_t>("cast", DType::float32, DType::int64, 1e30f, 0.f), INT64_MAX);
  EXPECT_EQ(apply<uint8_t>("cast", DType::float32, DType::boolean, 0.1f, 0.f), 1);
  EXPECT_EQ(apply<uint16_t>("cast", DType::float32, DType::float16, 1.5f, 0.f),
            float_to_float16(1.5f));
  EXPECT_EQ(apply<uint16_t>("cast", DType::float64, DType::bfloat16, 3.0, 0.0),
            float_to_bfloat16(3));
}

TEST(ElementwiseScalars, HasNoArithmeticIn16Bits) {
  EXPECT_EQ(find_typed_function("add", DType::float16, DType::float16), nullptr);
  EXPECT_EQ(find_typed_function("exp", DType::int32, DType::int32), nullptr);
}

}  // namespace
}  // namespace stoker::cpu
