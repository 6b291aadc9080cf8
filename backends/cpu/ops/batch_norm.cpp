#include <cmath>

#include "ops/support.h"

namespace stoker::cpu {
namespace {

struct Problem {
  int64_t rows, channels, shares;
  double epsilon;
  bool relu, residual;
};

Problem problem(const NodeView& node, const Shape& x) {
  const int64_t rows = rows_of(x);
  return {rows,
          x.back(),
          shares_for(rows, x.back()),
          node.number("epsilon", 1e-3),
          node.text("activation") == "relu",
          node.flag("residual")};
}

// Two sums per channel over all rows. Each part of the rows has its own double accumulators, to
// which it adds the sums of `at_once` rows; the parts are joined in order.
template <class T>
class ChannelSums {
 public:
  explicit ChannelSums(const Problem& p) : p_(p) {}
  static uint64_t bytes(const Problem& p) {
    return static_cast<uint64_t>(p.shares * p.channels) * 2 * (sizeof(double) + sizeof(T));
  }

  // add(row, first, second) adds a row's terms; afterwards first and second contain the sums.
  template <class F>
  void run(void* workspace, const F& add) {
    first_ = static_cast<double*>(workspace);
    second_ = first_ + p_.channels;
    T* terms = reinterpret_cast<T*>(first_ + 2 * p_.shares * p_.channels);
    share_out(p_.shares, p_.shares, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s)
        sum_share(s, first_ + 2 * s * p_.channels, terms + 2 * s * p_.channels, add);
    });
    for (int64_t s = 1; s < p_.shares; ++s)
      for (int64_t c = 0; c < 2 * p_.channels; ++c) first_[c] += first_[2 * s * p_.channels + c];
  }
  double first(int64_t c) const { return first_[c]; }
  double second(int64_t c) const { return second_[c]; }

 private:
  template <class F>
  void sum_share(int64_t share, double* sums, T* terms, const F& add) const {
    constexpr int64_t at_once = 64;
    std::fill_n(sums, 2 * p_.channels, 0.0);
    const int64_t end = p_.rows * (share + 1) / p_.shares;
    for (int64_t row = p_.rows * share / p_.shares; row < end;) {
      std::fill_n(terms, 2 * p_.channels, T{0});
      for (const int64_t stop = std::min(end, row + at_once); row < stop; ++row)
        add(row, terms, terms + p_.channels);
      for (int64_t c = 0; c < 2 * p_.channels; ++c) sums[c] += static_cast<double>(terms[c]);
    }
  }

  Problem p_;
  double *first_ = nullptr, *second_ = nullptr;
};

// f(row) for all rows, in parallel.
template <class F>
void for_rows(const Problem& p, const F& f) {
  parallel_for(p.rows, grain_for(p.channels), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) f(row);
  });
}

// Relative to the first row, so that a large mean does not cancel the variance.
template <class T>
void statistics(const Problem& p, const T* x, T* mean, T* variance, void* workspace) {
  ChannelSums<T> sums(p);
  sums.run(workspace, [&](int64_t row, T* __restrict first, T* __restrict second) {
    const T* values = x + row * p.channels;
    for (int64_t c = 0; c < p.channels; ++c) {
      const T above = values[c] - x[c];
      first[c] += above;
      second[c] += above * above;
    }
  });
  const auto count = static_cast<double>(p.rows);
  for (int64_t c = 0; c < p.channels; ++c) {
    const double above = sums.first(c) / count;
    mean[c] = static_cast<T>(static_cast<double>(x[c]) + above);
    variance[c] = static_cast<T>(std::max(0.0, sums.second(c) / count - above * above));
  }
}

template <class T>
void forward(const Problem& p, void* const* a, void* workspace) {
  const T *x = static_cast<const T*>(a[0]), *gamma = static_cast<const T*>(a[1]),
          *beta = static_cast<const T*>(a[2]);
  const T* residual = p.residual ? static_cast<const T*>(a[3]) : nullptr;
  void* const* results = a + (p.residual ? 4 : 3);
  T *y = static_cast<T*>(results[0]), *mean = static_cast<T*>(results[1]),
    *variance = static_cast<T*>(results[2]);
  statistics(p, x, mean, variance, workspace);
  T* scale = static_cast<T*>(workspace);
  for (int64_t c = 0; c < p.channels; ++c)
    scale[c] = static_cast<T>(static_cast<double>(gamma[c]) /
                              std::sqrt(static_cast<double>(variance[c]) + p.epsilon));
  for_rows(p, [&](int64_t row) {
    const T* in = x + row * p.channels;
    T* __restrict out = y + row * p.channels;
    for (int64_t c = 0; c < p.channels; ++c) out[c] = (in[c] - mean[c]) * scale[c] + beta[c];
    if (residual)
      for (int64_t c = 0; c < p.channels; ++c) out[c] += residual[row * p.channels + c];
    if (p.relu)
      for (int64_t c = 0; c < p.channels; ++c) out[c] = out[c] < 0 ? T{0} : out[c];
  });
}

template <class T>
void backward(const Problem& p, void* const* a, void* workspace) {
  const T *dy = static_cast<const T*>(a[0]), *x = static_cast<const T*>(a[1]),
          *mean = static_cast<const T*>(a[2]), *variance = static_cast<const T*>(a[3]),
          *gamma = static_cast<const T*>(a[4]), *beta = static_cast<const T*>(a[5]);
  T *dx = static_cast<T*>(a[6]), *dgamma = static_cast<T*>(a[7]), *dbeta = static_cast<T*>(a[8]);
  // dgamma is scratch memory until the end: it holds dy/dx.
  const auto deviation = [&](int64_t c) {
    return std::sqrt(static_cast<double>(variance[c]) + p.epsilon);
  };
  for (int64_t c = 0; c < p.channels; ++c)
    dgamma[c] = static_cast<T>(static_cast<double>(gamma[c]) / deviation(c));
  const auto passes = [&](T value, int64_t c) {
    return !p.relu || (value - mean[c]) * dgamma[c] + beta[c] > 0;
  };
  ChannelSums<T> sums(p);
  sums.run(workspace, [&](int64_t row, T* __restrict first, T* __restrict second) {
    const T *in = x + row * p.channels, *gradient = dy + row * p.channels;
    for (int64_t c = 0; c < p.channels; ++c) {
      const T g = passes(in[c], c) ? gradient[c] : T{0};
      first[c] += g;
      second[c] += g * (in[c] - mean[c]);
    }
  });
  T *along_mean = static_cast<T*>(
        static_cast<void*>(static_cast<char*>(workspace) + ChannelSums<T>::bytes(p))),
    *along_spread = along_mean + p.channels;
  const auto count = static_cast<double>(p.rows);
  for (int64_t c = 0; c < p.channels; ++c) {
    along_mean[c] = static_cast<T>(sums.first(c) / count);
    along_spread[c] = static_cast<T>(sums.second(c) / (count * deviation(c) * deviation(c)));
  }
  for_rows(p, [&](int64_t row) {
    const T *in = x + row * p.channels, *gradient = dy + row * p.channels;
    T* __restrict out = dx + row * p.channels;
    for (int64_t c = 0; c < p.channels; ++c) {
      const T g = passes(in[c], c) ? gradient[c] : T{0};
      out[c] = dgamma[c] * (g - along_mean[c] - (in[c] - mean[c]) * along_spread[c]);
    }
  });
  for (int64_t c = 0; c < p.channels; ++c) {
    dgamma[c] = static_cast<T>(sums.second(c) / deviation(c));
    dbeta[c] = static_cast<T>(sums.first(c));
  }
}

std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  const Problem p = problem(node, node.in[0].shape);
  if (node.in[0].shape.size() == 0) refusal = "the input is empty";
  if (!refusal.empty()) return nullptr;
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([p](void* const* a, void* workspace) { forward<T>(p, a, workspace); },
                       ChannelSums<T>::bytes(p));
  });
}

std::unique_ptr<Kernel> plan_backward(const NodeView& node, std::string& refusal) {
  const Problem p = problem(node, node.in[1].shape);
  if (node.in[1].shape.size() == 0) refusal = "the input is empty";
  if (!refusal.empty()) return nullptr;
  return for_floats(node.in[1].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    const auto rows = static_cast<uint64_t>(p.channels) * 2 * sizeof(T);
    return make_kernel([p](void* const* a, void* workspace) { backward<T>(p, a, workspace); },
                       ChannelSums<T>::bytes(p) + rows);
  });
}

const RegisterKernel normalise{"batch_norm", "rows", optimised, plan_forward};
const RegisterKernel gradient{"batch_norm_grad", "rows", optimised, plan_backward};

}  // namespace
}  // namespace stoker::cpu
