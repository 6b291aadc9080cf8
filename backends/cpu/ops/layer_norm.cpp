#include <cmath>

#include "ops/support.h"

namespace stoker::cpu {
namespace {

struct Problem {
  int64_t rows, columns, shares;
  double epsilon;
};

Problem problem(const NodeView& node, const Shape& x) {
  const int64_t rows = rows_of(x);
  return {rows, x.back(), shares_for(rows, x.back()), node.number("epsilon")};
}

template <class T>
void forward(const Problem& p, void* const* a) {
  const T *x = static_cast<const T*>(a[0]), *gamma = static_cast<const T*>(a[1]),
          *beta = static_cast<const T*>(a[2]);
  T *y = static_cast<T*>(a[3]), *means = static_cast<T*>(a[4]), *factors = static_cast<T*>(a[5]);
  const auto count = static_cast<double>(p.columns);
  parallel_for(p.rows, grain_for(p.columns), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* in = x + row * p.columns;
      T* __restrict out = y + row * p.columns;
      const double mean = sum_of(p.columns, [&](int64_t i) { return in[i]; }) / count;
      const double variance = sum_of(p.columns,
                                     [&](int64_t i) {
                                       const double above = static_cast<double>(in[i]) - mean;
                                       return above * above;
                                     }) /
                              count;
      const T m = means[row] = static_cast<T>(mean),
              f = factors[row] = static_cast<T>(1 / std::sqrt(variance + p.epsilon));
      for (int64_t i = 0; i < p.columns; ++i) out[i] = (in[i] - m) * f * gamma[i] + beta[i];
    }
  });
}

// One row of dx; adds to the sums for gamma and beta.
template <class T>
void backward_row(const Problem& p, const T* dy, const T* x, T mean, T factor, const T* gamma,
                  T* __restrict dx, T* __restrict dgamma, T* __restrict dbeta) {
  const auto unit = [&](int64_t i) { return (x[i] - mean) * factor; };
  const auto count = static_cast<double>(p.columns);
  const T along_mean = static_cast<T>(
              sum_of(p.columns, [&](int64_t i) { return dy[i] * gamma[i]; }) / count),
          along_unit = static_cast<T>(
              sum_of(p.columns, [&](int64_t i) { return dy[i] * gamma[i] * unit(i); }) / count);
  for (int64_t i = 0; i < p.columns; ++i) {
    dgamma[i] += dy[i] * unit(i);
    dbeta[i] += dy[i];
    dx[i] = factor * (dy[i] * gamma[i] - along_mean - unit(i) * along_unit);
  }
}

// Each part of the rows accumulates gamma's and beta's gradients separately, `at_once` rows at a
// time into double; the parts are joined in order.
template <class T>
void backward_share(const Problem& p, void* const* a, int64_t share, double* sums, T* terms) {
  constexpr int64_t at_once = 64;
  const T *dy = static_cast<const T*>(a[0]), *x = static_cast<const T*>(a[1]),
          *means = static_cast<const T*>(a[2]), *factors = static_cast<const T*>(a[3]),
          *gamma = static_cast<const T*>(a[4]);
  T* dx = static_cast<T*>(a[5]);
  std::fill_n(sums, 2 * p.columns, 0.0);
  const int64_t end = p.rows * (share + 1) / p.shares;
  for (int64_t row = p.rows * share / p.shares; row < end;) {
    std::fill_n(terms, 2 * p.columns, T{0});
    for (const int64_t stop = std::min(end, row + at_once); row < stop; ++row)
      backward_row(p, dy + row * p.columns, x + row * p.columns, means[row], factors[row], gamma,
                   dx + row * p.columns, terms, terms + p.columns);
    for (int64_t i = 0; i < 2 * p.columns; ++i) sums[i] += static_cast<double>(terms[i]);
  }
}

template <class T>
void backward(const Problem& p, void* const* a, void* workspace) {
  auto* sums = static_cast<double*>(workspace);
  T* terms = reinterpret_cast<T*>(sums + 2 * p.shares * p.columns);
  share_out(p.shares, p.shares, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s)
      backward_share(p, a, s, sums + 2 * s * p.columns, terms + 2 * s * p.columns);
  });
  T* out[] = {static_cast<T*>(a[6]), static_cast<T*>(a[7])};
  for (int64_t i = 0; i < 2 * p.columns; ++i) {
    for (int64_t s = 1; s < p.shares; ++s) sums[i] += sums[2 * s * p.columns + i];
    out[i / p.columns][i % p.columns] = static_cast<T>(sums[i]);
  }
}

std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  const Problem p = problem(node, node.in[0].shape);
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([p](void* const* a, void*) { forward<T>(p, a); });
  });
}

std::unique_ptr<Kernel> plan_backward(const NodeView& node, std::string& refusal) {
  const Problem p = problem(node, node.in[1].shape);
  return for_floats(node.in[1].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel(
        [p](void* const* a, void* workspace) { backward<T>(p, a, workspace); },
        static_cast<uint64_t>(p.shares * p.columns) * 2 * (sizeof(double) + sizeof(T)));
  });
}

const RegisterKernel normalise{"layer_norm", "rows", optimised, plan_forward};
const RegisterKernel gradient{"layer_norm_grad", "rows", optimised, plan_backward};

}  // namespace
}  // namespace stoker::cpu
