#include "kernels/adam.h"

#include <cmath>

#include "core/flush_denormals.h"
#include "kernels/kernel_testing.h"

namespace stoker::cpu {
namespace {

class AdamTest : public TargetTest {};

TEST_P(AdamTest, FollowsKerasForManySteps) {
  for (int64_t n : {1, 21, 20000}) {
    Filler filler(n);
    std::vector<float> w = filler(n), m(n, 0.0f), v(n, 0.0f);
    std::vector<double> w_ref(w.begin(), w.end()), m_ref(n, 0.0), v_ref(n, 0.0);
    float alpha = 0;
    const AdamStep step{w.data(), m.data(), v.data(), &alpha};
    for (int t = 1; t <= 20; ++t) {
      auto g = filler(n);
      g[0] = 0;  // a weight with zero gradient: sqrt(0)
      alpha =
          static_cast<float>(0.001 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t)));
      adam_update(n, step, g.data());
      for (int64_t i = 0; i < n; ++i) {
        m_ref[i] += (g[i] - m_ref[i]) * (1 - 0.9);
        v_ref[i] += (double{g[i]} * g[i] - v_ref[i]) * (1 - 0.999);
        w_ref[i] -= m_ref[i] * alpha / (std::sqrt(v_ref[i]) + 1e-7);
      }
    }
    for (int64_t i = 0; i < n; ++i) ASSERT_NEAR(w[i], w_ref[i], 2e-6) << i << " of " << n;
  }
}

TEST_P(AdamTest, RootAndQuotientAreAccurate) {
  // The first step: the change is alpha * (1 - beta_1) g / (sqrt((1 - beta_2) g²) + epsilon).
  constexpr int64_t n = 4096;
  std::vector<float> g(n), w(n, 0.0f), m(n, 0.0f), v(n, 0.0f);
  for (int64_t i = 0; i < n; ++i)
    g[i] = std::ldexp(1.0f + i / 4096.0f, static_cast<int>(i % 40) - 20);
  const float alpha = 1;
  adam_update(n, {w.data(), m.data(), v.data(), &alpha}, g.data());
  for (int64_t i = 0; i < n; ++i) {
    const double want = -double{m[i]} / (std::sqrt(double{v[i]}) + double{1e-7f});
    ASSERT_NEAR(w[i] / want, 1.0, 2.5e-7) << g[i];
  }
}

// Moments of a unit that is never active: zero, denormal, or decaying towards it.
TEST_P(AdamTest, TinyMomentsStayFinite) {
  const FlushDenormals as_in_a_step;
  const std::vector<float> sizes{0,      1e-45f, 1e-40f, 1e-38f, 1.17549435e-38f,
                                 2e-38f, 1e-35f, 1e-30f, 1e-20f, 1e-7f};
  std::vector<float> w, m, v, g;
  for (const float first : sizes)
    for (const float second : sizes)
      for (const float gradient : sizes) {
        w.push_back(0.25f);
        m.push_back(first);
        v.push_back(second);
        g.push_back(gradient);
      }
  const auto m_old = m, v_old = v;
  const float alpha = 0.001f;
  adam_update(static_cast<int64_t>(w.size()), {w.data(), m.data(), v.data(), &alpha}, g.data());
  for (size_t i = 0; i < w.size(); ++i) {
    const double moment = m_old[i] + (double{g[i]} - m_old[i]) * (1 - 0.9);
    const double square = v_old[i] + (double{g[i]} * g[i] - v_old[i]) * (1 - 0.999);
    const double want = 0.25 - moment * double{alpha} / (std::sqrt(square) + 1e-7);
    ASSERT_NEAR(w[i], want, 1e-7) << m_old[i] << " " << v_old[i] << " " << g[i];
    ASSERT_NEAR(m[i], moment, 2e-38 + 1e-6 * moment);
    ASSERT_NEAR(v[i], square, 2e-38 + 1e-6 * square);
  }
}

TEST_P(AdamTest, ColumnSums) {
  for (int64_t rows : {1, 3, 70, 1000}) {
    for (int64_t cols : {1, 10, 37, 130}) {
      Filler filler(rows + cols);
      const int64_t ld = cols + 2;
      const auto x = filler(rows * ld), before = filler(cols);
      for (bool accumulate : {false, true}) {
        auto out = before;
        column_sums(rows, cols, x.data(), ld, accumulate, out.data());
        for (int64_t j = 0; j < cols; ++j) {
          double want = accumulate ? before[j] : 0.0;
          for (int64_t i = 0; i < rows; ++i) want += x[i * ld + j];
          ASSERT_NEAR(out[j], want, 1e-6 * (8 + rows * 0.1)) << rows << "x" << cols;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, AdamTest, ::testing::ValuesIn(supported_targets()), target_name);

}  // namespace
}  // namespace stoker::cpu
