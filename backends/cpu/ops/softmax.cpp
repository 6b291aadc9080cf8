#include <cmath>
#include <limits>

#include "ops/support.h"

namespace stoker::cpu {
namespace {

template <class T>
T largest(const T* x, int64_t n) {
  T best = -std::numeric_limits<T>::infinity();
  for (int64_t i = 0; i < n; ++i) best = x[i] > best || x[i] != x[i] ? x[i] : best;
  return best;
}

template <class T>
double sum_of_exponentials(const T* x, int64_t n, T shift) {
  return sum_of(n, [&](int64_t i) { return std::exp(x[i] - shift); });
}

struct Softmax {
  template <class T>
  static void row(const T* x, T* y, int64_t n) {
    const T shift = largest(x, n);
    for (int64_t i = 0; i < n; ++i) y[i] = std::exp(x[i] - shift);
    const auto scale = static_cast<T>(1.0 / sum_of(n, [&](int64_t i) { return y[i]; }));
    for (int64_t i = 0; i < n; ++i) y[i] *= scale;
  }
};
struct LogSoftmax {
  template <class T>
  static void row(const T* x, T* y, int64_t n) {
    const T shift = largest(x, n);
    const auto log_sum = static_cast<T>(std::log(sum_of_exponentials(x, n, shift)));
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] - shift - log_sum;
  }
};

template <class Op>
std::unique_ptr<Kernel> plan_rows(const NodeView& node, std::string& refusal) {
  const int64_t rows = rows_of(node.in[0].shape), n = node.in[0].shape.back();
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([rows, n](void* const* p, void*) {
      parallel_for(rows, grain_for(8 * n), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
          Op::row(static_cast<const T*>(p[0]) + r * n, static_cast<T*>(p[1]) + r * n, n);
      });
    });
  });
}

template <class T>
T cross_entropy(int64_t label, const T* logits, int64_t n) {
  if (label < 0 || label >= n) return std::numeric_limits<T>::quiet_NaN();
  const T shift = largest(logits, n);
  return static_cast<T>(std::log(sum_of_exponentials(logits, n, shift))) - (logits[label] - shift);
}

// The gradient of cross_entropy with respect to the logits, from their softmax.
template <class T>
void cross_entropy_grad(int64_t label, const T* softmax, T scale, T* out, int64_t n) {
  const bool bad = label < 0 || label >= n;
  if (bad) scale = std::numeric_limits<T>::quiet_NaN();
  for (int64_t i = 0; i < n; ++i) out[i] = softmax[i] * scale;
  if (!bad) out[label] -= scale;
}

// make(Label{}, T{}) for the types of the labels and the outputs.
template <class F>
std::unique_ptr<Kernel> for_labels(const NodeView& node, std::string& refusal, F&& make) {
  return for_indices(node.in[0].dtype, refusal, [&](auto label) {
    return for_floats(node.in[1].dtype, refusal, [&](auto zero) { return make(label, zero); });
  });
}

std::unique_ptr<Kernel> plan_sparse(const NodeView& node, std::string& refusal) {
  const int64_t rows = rows_of(node.in[1].shape), n = node.in[1].shape.back();
  return for_labels(node, refusal, [&](auto label, auto zero) {
    using L = decltype(label);
    using T = decltype(zero);
    return make_kernel([rows, n](void* const* p, void*) {
      parallel_for(rows, grain_for(8 * n), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
          static_cast<T*>(p[2])[r] =
              cross_entropy(static_cast<const L*>(p[0])[r], static_cast<const T*>(p[1]) + r * n, n);
      });
    });
  });
}

std::unique_ptr<Kernel> plan_sparse_grad(const NodeView& node, std::string& refusal) {
  const int64_t rows = rows_of(node.in[1].shape), n = node.in[1].shape.back();
  return for_labels(node, refusal, [&](auto label, auto zero) {
    using L = decltype(label);
    using T = decltype(zero);
    return make_kernel([rows, n](void* const* p, void*) {
      parallel_for(rows, grain_for(n + 32), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
          cross_entropy_grad<T>(static_cast<const L*>(p[0])[r], static_cast<const T*>(p[1]) + r * n,
                                static_cast<const T*>(p[2])[r], static_cast<T*>(p[3]) + r * n, n);
      });
    });
  });
}

const RegisterKernel softmax{"softmax", "plain", reference, plan_rows<Softmax>};
const RegisterKernel log_softmax{"log_softmax", "plain", reference, plan_rows<LogSoftmax>};
const RegisterKernel sparse{"sparse_softmax_cross_entropy", "plain", reference, plan_sparse};
const RegisterKernel sparse_grad{"sparse_softmax_cross_entropy_grad", "plain", reference,
                                 plan_sparse_grad};

}  // namespace
}  // namespace stoker::cpu
