#include "ops/fused_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/kernel_testing.h"
#include "ops/node_testing.h"

namespace stoker::cpu {
namespace {

class FusedRows : public TargetTest {};

double exact_log_sum(const std::vector<float>& x) {
  double sum = 0;
  for (float v : x) sum += std::exp(static_cast<double>(v));
  return std::log(sum);
}

TEST_P(FusedRows, AreSoftmaxAndItsLogarithm) {
  Filler fill(5);
  for (int64_t n : {1, 2, 7, 10, 16, 33, 1000}) {
    std::vector<float> x = fill(n), y(x.size());
    for (float& v : x) v *= 30;
    softmax_row(x.data(), y.data(), n);
    const LogSum sum = log_sum_exp(x.data(), n);
    EXPECT_NEAR(sum.log_sum + sum.shift, exact_log_sum(x), 1e-5) << n;
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(y[i], std::exp(x[i] - exact_log_sum(x)), 2e-6) << n;
  }
}

TEST_P(FusedRows, SpreadNaNAndTakeLargeScores) {
  std::vector<float> x{1, NAN, 3}, y(3), large{1e30f, 0, -1e30f};
  softmax_row(x.data(), y.data(), 3);
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[2]));
  softmax_row(large.data(), y.data(), 3);
  EXPECT_EQ(y, (std::vector<float>{1, 0, 0}));
}

TEST_P(FusedRows, SumExactlyEnough) {
  for (int64_t n : {0, 1, 15, 64, 1023, 100003}) {
    const auto x = Filler(n)(n);
    double exact = 0;
    for (float v : x) exact += static_cast<double>(v);
    EXPECT_NEAR(row_sum(x.data(), n), exact, 1e-7 * static_cast<double>(n + 1)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FusedRows, ::testing::ValuesIn(supported_targets()), target_name);

void check_sum(const Shape& shape, const std::vector<int64_t>& axis, const Shape& out) {
  const auto x = Filler(shape.size())(shape.size());
  TestNode node("reduce_sum", {{DType::float32, shape}}, {{DType::float32, out}});
  node.with("axis", axis);
  const auto got = values_of<float>(node.run({bytes_of(x)})[0]);
  EXPECT_STREQ(node.plan()->implementation, "simd");
  const bool leading = !axis.empty() && axis[0] == 0;
  const int64_t outputs = out.size(), inner = shape.size() / outputs;
  for (int64_t o = 0; o < outputs; ++o) {
    double exact = 0;
    for (int64_t i = 0; i < inner; ++i)
      exact +=
          static_cast<double>(x[static_cast<size_t>(leading ? i * outputs + o : o * inner + i)]);
    EXPECT_NEAR(got[static_cast<size_t>(o)], exact, 1e-3);
  }
}

TEST(FusedReduce, SumsLeadingTrailingAndAllAxes) {
  check_sum({300, 33}, {0}, {33});
  check_sum({5, 7, 9, 4}, {0, 1, 2}, {4});
  check_sum({6, 5, 90}, {1, -1}, {6});
  check_sum({200000}, {}, {});
  check_sum({}, {}, {});
}

}  // namespace
}  // namespace stoker::cpu
