#include "ops/elementwise/elementwise_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ops/node_testing.h"

namespace stoker::cpu {
namespace {

using Floats = std::vector<float>;

Floats ramp(int64_t n, float start = -3) {
  Floats values(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i)
    values[static_cast<size_t>(i)] = start + 0.25f * static_cast<float>(i % 101);
  return values;
}
TensorType f32(std::vector<int64_t> dims) { return {DType::float32, Shape(std::move(dims))}; }

// Element `at` of the output's index space, read from a broadcast input.
float read(const Floats& values, const Shape& from, const Shape& shape, int64_t at) {
  int64_t offset = 0, stride = 1;
  for (int d = 1; d <= shape.rank(); ++d) {
    const int64_t coordinate = at % shape[-d];
    at /= shape[-d];
    if (d > from.rank()) continue;
    if (from[-d] != 1) offset += coordinate * stride;
    stride *= from[-d];
  }
  return values[static_cast<size_t>(offset)];
}

struct Layout {
  std::vector<int64_t> a, b;
};
class Broadcasting : public ::testing::TestWithParam<Layout> {};

TEST_P(Broadcasting, IsNumpys) {
  const Shape a(GetParam().a), b(GetParam().b), shape = broadcast(a, b);
  const Floats x = ramp(a.size()), y = ramp(b.size(), 1);
  TestNode node("subtract", {f32(a.dims()), f32(b.dims())}, {f32(shape.dims())});
  const auto got = values_of<float>(node.run({bytes_of(x), bytes_of(y)})[0]);
  for (int64_t i = 0; i < shape.size(); ++i)
    ASSERT_EQ(got[static_cast<size_t>(i)], read(x, a, shape, i) - read(y, b, shape, i)) << i;
}

INSTANTIATE_TEST_SUITE_P(Loaders, Broadcasting,
                         ::testing::Values(Layout{{7000}, {7000}}, Layout{{}, {}}, Layout{{1}, {}},
                                           Layout{{5000}, {}}, Layout{{}, {5000}},
                                           Layout{{300, 10}, {10}}, Layout{{300, 10}, {300, 1}},
                                           Layout{{3, 5000}, {5000}}, Layout{{3, 5000}, {3, 1}},
                                           Layout{{40, 1}, {1, 70}}, Layout{{6, 1, 50}, {6, 30, 1}},
                                           Layout{{4, 1, 5, 1}, {3, 1, 700}},
                                           Layout{{2, 3, 4, 5}, {2, 1, 4, 1}}, Layout{{0, 3}, {3}},
                                           Layout{{100000, 3}, {3}}, Layout{{1, 9, 1}, {9, 1, 9}}));

TEST(ElementwiseProgram, ParsesItsText) {
  const auto program = parse_program("multiply:float32 0 1;cast:bool 2", {2, 3});
  ASSERT_EQ(program.instructions.size(), 2u);
  EXPECT_EQ(program.instructions[0].op, "multiply");
  EXPECT_EQ(program.instructions[0].operands, (std::vector<int>{0, 1}));
  EXPECT_EQ(program.instructions[1].dtype, DType::boolean);
  EXPECT_EQ(program.results, (std::vector<int>{2, 3}));
}

// A swap: each output may be stored where the other input is still to be read.
TEST(ElementwiseProgram, WritesOverItsInputsInAnyArrangement) {
  const int64_t n = 5003;
  TestNode node("fused_elementwise", {f32({n}), f32({n})}, {f32({n}), f32({n})});
  node.with("program", "add:float32 0 1;subtract:float32 0 1")
      .with("results", std::vector<int64_t>{2, 3});
  for (const bool crossed : {false, true}) {
    Floats a = ramp(n), b = ramp(n, 5);
    const Floats x = a, y = b;
    node.run_on({a.data(), b.data(), crossed ? b.data() : a.data(), crossed ? a.data() : b.data()});
    const Floats &sum = crossed ? b : a, &difference = crossed ? a : b;
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(sum[i], x[i] + y[i]);
      ASSERT_EQ(difference[i], x[i] - y[i]);
    }
  }
}

TEST(ElementwiseProgram, SwapsTwoStates) {
  Floats a = ramp(3000), b = ramp(3000, 9);
  const Floats x = a, y = b;
  TestNode node("fused_elementwise", {f32({3000}), f32({3000})}, {f32({3000}), f32({3000})});
  node.with("program", "copy:float32 0;copy:float32 1").with("results", std::vector<int64_t>{3, 2});
  node.run_on({a.data(), b.data(), a.data(), b.data()});
  EXPECT_EQ(a, y);
  EXPECT_EQ(b, x);
}

TEST(ElementwiseProgram, GivesOneValueTwice) {
  TestNode node("fused_elementwise", {f32({5})}, {f32({5}), f32({5})});
  node.with("program", "negative:float32 0").with("results", std::vector<int64_t>{1, 1});
  const auto out = node.run({bytes_of(ramp(5))});
  EXPECT_EQ(out[0], out[1]);
  EXPECT_EQ(values_of<float>(out[0])[0], 3.f);
}

TEST(ElementwiseProgram, MixesDtypesAndReusesBuffers) {
  const int64_t n = 2500;
  TestNode node("fused_elementwise", {f32({n}), {DType::int32, Shape{1}}},
                {f32({n}), {DType::boolean, Shape{n}}});
  // select(x > k, sqrt(x + x), k) + x
  node.with("program",
            "cast:float32 1;greater:bool 0 2;add:float32 0 0;sqrt:float32 4;select:float32 3 5 2;"
            "add:float32 6 0")
      .with("results", std::vector<int64_t>{7, 3});
  const Floats x = ramp(n);
  const auto out = node.run({bytes_of(x), bytes_of(std::vector<int32_t>{4})});
  const auto y = values_of<float>(out[0]);
  const auto hit = values_of<uint8_t>(out[1]);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(hit[i], x[i] > 4);
    ASSERT_FLOAT_EQ(y[i], (x[i] > 4 ? std::sqrt(2 * x[i]) : 4.f) + x[i]);
  }
}

TEST(ElementwiseProgram, RefusesWhatItHasNoInstructionFor) {
  TestNode node("exp", {{DType::int32, Shape{3}}}, {{DType::int32, Shape{3}}});
  try {
    node.plan();
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("no exp in int32"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace stoker::cpu
