#include "kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "kernels/kernel_testing.h"

namespace stoker::cpu {
namespace {

struct Case {
  int64_t m, n, k;
  bool trans_a = false, trans_b = false;
  bool bias = false, relu = false, accumulate = false, mask = false, adam = false;
};

std::string describe(const Case& c) {
  std::string text = std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k);
  for (auto [flag, name] : {std::pair{c.trans_a, " trans_a"},
                            {c.trans_b, " trans_b"},
                            {c.bias, " bias"},
                            {c.relu, " relu"},
                            {c.accumulate, " accumulate"},
                            {c.mask, " mask"},
                            {c.adam, " adam"}}) {
    if (flag) text += name;
  }
  return text;
}

// The same update in double precision.
void reference_adam(const AdamStep& s, double g, double& w, double& m, double& v) {
  g *= s.grad_scale ? *s.grad_scale : 1.0;
  m += (g - m) * (1 - s.beta_1);
  v += (g * g - v) * (1 - s.beta_2);
  w -= w * (s.decay ? *s.decay : 0.0);
  w -= m * *s.alpha / (std::sqrt(v) + s.epsilon);
}

double reference_sum(const Case& c, const GemmProblem& p, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t k = 0; k < c.k; ++k) {
    const double a = c.trans_a ? p.a[k * p.lda + i] : p.a[i * p.lda + k];
    const double b = c.trans_b ? p.b[j * p.ldb + k] : p.b[k * p.ldb + j];
    sum += a * b;
  }
  return sum;
}

void check(const Case& c, ThreadPool& pool = ThreadPool::global()) {
  SCOPED_TRACE(describe(c) + " on " +
               hwy::TargetName(hwy::SupportedTargets() & -hwy::SupportedTargets()));
  Filler filler(c.m * 7919 + c.n * 31 + c.k);
  const int64_t pad = 3;  // leading dimensions wider than the rows
  const int64_t lda = (c.trans_a ? c.m : c.k) + pad, ldb = (c.trans_b ? c.k : c.n) + pad;
  const int64_t ldc = c.adam ? c.n : c.n + pad;
  const auto a = filler((c.trans_a ? c.k : c.m) * lda), b = filler((c.trans_b ? c.n : c.k) * ldb);
  const auto bias = filler(c.n), mask = filler(c.m * (c.n + 1)), before = filler(c.m * ldc);
  const auto m_before = filler(c.m * ldc);
  auto v_before = filler(c.m * ldc);
  for (float& x : v_before) x = x * x;
  std::vector<float> out = before, m_after = m_before, v_after = v_before;
  const float alpha = 0.01f, scale = 0.5f, decay = 0.001f;
  const AdamStep adam{out.data(), m_after.data(), v_after.data(), &alpha, &scale, &decay};
  GemmProblem p{c.m, c.n, c.k, c.trans_a, c.trans_b, a.data(), lda, b.data(), ldb, out.data(), ldc};
  p.epilogue = {c.bias ? bias.data() : nullptr,
                c.relu ? Activation::kRelu : Activation::kIdentity,
                c.accumulate,
                c.mask ? mask.data() : nullptr,
                c.n + 1,
                c.adam ? &adam : nullptr};
  Workspace workspace(gemm_workspace_bytes(p, pool));
  gemm_run(p, workspace.data(), pool);
  const double tolerance = 8e-7 * (std::sqrt(static_cast<double>(c.k)) * 4 + 4);
  // only a sample of large products is checked
  const int64_t stride = c.m * c.n * c.k > 2'000'000 ? 13 : 1;
  for (int64_t i = 0; i < c.m; ++i) {
    for (int64_t j = i % stride; j < c.n; j += stride) {
      double want = reference_sum(c, p, i, j);
      const int64_t at = i * ldc + j;
      if (c.adam) {
        double w = before[at], m = m_before[at], v = v_before[at];
        reference_adam(adam, want, w, m, v);
        ASSERT_NEAR(m_after[at], m, tolerance) << i << "," << j;
        ASSERT_NEAR(v_after[at], v, tolerance * (1 + std::abs(want))) << i << "," << j;
        want = w;
      } else {
        want += (c.accumulate ? before[at] : 0.0) + (c.bias ? bias[j] : 0.0);
        if (c.relu) want = std::max(want, 0.0);
        if (c.mask && mask[i * (c.n + 1) + j] <= 0) want = 0;
      }
      ASSERT_NEAR(out[at], want, tolerance) << i << "," << j;
    }
    for (int64_t j = c.n; j < ldc; ++j) ASSERT_EQ(out[i * ldc + j], before[i * ldc + j]);
  }
}

class GemmTest : public TargetTest {};

TEST_P(GemmTest, AllTransposesOfOddSizes) {
  for (int64_t m : {1, 2, 3, 5, 13, 31, 70}) {
    for (int64_t n : {1, 10, 16, 17, 33, 70}) {
      for (int64_t k : {1, 4, 9, 67}) {
        for (int flags = 0; flags < 4; ++flags) {
          check({m, n, k, (flags & 1) != 0, (flags & 2) != 0});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(GemmTest, EveryEpilogue) {
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{1, 130, 20}, {32, 70, 33}, {130, 10, 32}, {45, 70, 1}}) {
    for (int flags = 0; flags < 64; ++flags) {
      Case c{m, n, k, (flags & 1) != 0, (flags & 2) != 0};
      c.bias = flags & 4, c.relu = flags & 8, c.accumulate = flags & 16, c.mask = flags & 32;
      check(c);
      if ((flags & ~3) == 0) c.adam = true, check(c);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(GemmTest, DeepProductsSliceAndSplit) {
  for (int flags = 0; flags < 4; ++flags) {
    const bool ta = flags & 1, tb = flags & 2;
    for (int64_t k : {1025, 2500, 9001}) {
      check({20, 50, k, ta, tb});
      check({8, 10, k, ta, tb, true, true, true, true});
      check({20, 50, k, ta, tb, false, false, false, false, true});
      if (HasFatalFailure()) return;
    }
    check({150, 130, 1100, ta, tb, true, true, true});
    check({150, 1100, 700, ta, tb, true});
    check({300, 70, 600, ta, tb, false, false, false, true});
    check({300, 70, 1100, ta, tb, false, false, false, false, true});
    check({2, 600, 300, ta, tb, true, true});
  }
}

TEST_P(GemmTest, ManyThreadsShareWhatIsPacked) {
  ThreadPool sixteen(16), nine(9);
  for (int flags = 0; flags < 4; ++flags) {
    const bool ta = flags & 1, tb = flags & 2;
    check({301, 250, 600, ta, tb, true, true}, sixteen);
    check({250, 130, 1400, ta, tb, false, false, true, true}, nine);
    check({250, 130, 1400, ta, tb, false, false, false, false, true}, sixteen);
    check({130, 777, 450, ta, tb, false, false, false, false, true}, nine);
    if (HasFatalFailure()) return;
  }
}

TEST_P(GemmTest, EmptyDepthLeavesTheEpilogue) { check({5, 20, 0, false, false, true, true}); }

TEST_P(GemmTest, OutputsPastTheCachesAreComplete) {
  const int64_t m = 16, n = 1 << 19;
  const auto a = Filler(1)(m), b = Filler(2)(n);
  Workspace c(m * n * sizeof(float));  // aligned, as required by non-temporal stores
  float* out = static_cast<float*>(c.data());
  GemmProblem p{m, n, 1, false, false, a.data(), 1, b.data(), n, out, n};
  Workspace workspace(gemm_workspace_bytes(p));
  gemm_run(p, workspace.data());
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) ASSERT_EQ(out[i * n + j], a[i] * b[j]) << i << "," << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, GemmTest, ::testing::ValuesIn(supported_targets()), target_name);

}  // namespace
}  // namespace stoker::cpu
