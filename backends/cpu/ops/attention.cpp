#include "ops/attention.h"

namespace stoker::cpu {
namespace {

// One query at a time, with scratch memory for `keys` numbers.
template <class T>
struct Rows {
  const AttentionProblem& p;
  const T *q, *k, *v;
  const uint8_t* mask;

  double score(int64_t n, int64_t i, int64_t j) const {
    const T *a = q + (n * p.queries + i) * p.size, *b = k + (n * p.keys + j) * p.size;
    return p.scale * sum_of(p.size, [&](int64_t d) {
             return static_cast<double>(a[d]) * static_cast<double>(b[d]);
           });
  }
  bool sees(int64_t n, int64_t i, int64_t j) const { return p.sees(p.mask_row(mask, n, i), i, j); }
  void scores(int64_t n, int64_t i, double* row) const {
    for (int64_t j = 0; j < p.keys; ++j)
      row[j] = sees(n, i, j) ? score(n, i, j) : static_cast<double>(hidden_score);
  }
};

template <class T, class S>
void forward(const Rows<T>& r, int64_t n, int64_t i, double* row, T* out, S* logarithm) {
  const AttentionProblem& p = r.p;
  r.scores(n, i, row);
  const double most = *std::max_element(row, row + p.keys);
  const double sum = sum_of(p.keys, [&](int64_t j) { return row[j] = std::exp(row[j] - most); });
  *logarithm = static_cast<S>(most + std::log(sum));
  for (int64_t d = 0; d < p.values; ++d)
    out[d] = static_cast<T>(sum_of(p.keys,
                                   [&](int64_t j) {
                                     return row[j] * static_cast<double>(
                                                         r.v[(n * p.keys + j) * p.values + d]);
                                   }) /
                            sum);
}

template <class T>
struct Grads {
  const T* of_out;
  T *of_q, *of_k, *of_v;
};

// All queries of one matrix in one thread: sums over queries need no synchronisation.
template <class T, class S>
void backward(const Rows<T>& r, int64_t n, const T* out, const S* logarithms, const Grads<T>& g,
              double* room) {
  const AttentionProblem& p = r.p;
  double *row = room, *of_k = row + p.keys, *of_v = of_k + p.keys * p.size;
  std::fill_n(of_k, p.keys * (p.size + p.values), 0.0);
  for (int64_t i = 0; i < p.queries; ++i) {
    const int64_t at = n * p.queries + i;
    r.scores(n, i, row);
    const T *y = out + at * p.values, *dy = g.of_out + at * p.values, *q = r.q + at * p.size;
    const double mean = sum_of(p.values, [&](int64_t d) {
      return static_cast<double>(y[d]) * static_cast<double>(dy[d]);
    });
    for (int64_t j = 0; j < p.keys; ++j) {
      const double weight = weight_of(row[j], static_cast<double>(logarithms[at]), p.keys);
      const T* v = r.v + (n * p.keys + j) * p.values;
      const double of_weight = sum_of(p.values, [&](int64_t d) {
        return static_cast<double>(dy[d]) * static_cast<double>(v[d]);
      });
      for (int64_t d = 0; d < p.values; ++d)
        of_v[j * p.values + d] += weight * static_cast<double>(dy[d]);
      row[j] = r.sees(n, i, j) ? p.scale * weight * (of_weight - mean) : 0;
      for (int64_t d = 0; d < p.size; ++d)
        of_k[j * p.size + d] += row[j] * static_cast<double>(q[d]);
    }
    for (int64_t d = 0; d < p.size; ++d)
      g.of_q[at * p.size + d] = static_cast<T>(sum_of(p.keys, [&](int64_t j) {
        return row[j] * static_cast<double>(r.k[(n * p.keys + j) * p.size + d]);
      }));
  }
  const auto round = [](double x) { return static_cast<T>(x); };
  std::transform(of_k, of_v, g.of_k + n * p.keys * p.size, round);
  std::transform(of_v, of_v + p.keys * p.values, g.of_v + n * p.keys * p.values, round);
}

template <class T>
using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
Rows<T> rows_of(const AttentionProblem& p, void* const* a, size_t mask_at) {
  return {p, static_cast<const T*>(a[0]), static_cast<const T*>(a[1]), static_cast<const T*>(a[2]),
          p.masked ? static_cast<const uint8_t*>(a[mask_at]) : nullptr};
}

std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [p](void* const* a, void* room) {
      const Rows<T> rows = rows_of<T>(p, a, 3);
      void* const* out = a + (p.masked ? 4 : 3);
      parallel_for(p.count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin * p.queries; at < end * p.queries; ++at)
          forward(rows, at / p.queries, at % p.queries,
                  static_cast<double*>(room) + at / p.queries * p.keys,
                  static_cast<T*>(out[0]) + at * p.values, static_cast<Sum<T>*>(out[1]) + at);
      });
    };
    return make_kernel(body, static_cast<uint64_t>(p.count * p.keys) * sizeof(double));
  });
}

std::unique_ptr<Kernel> plan_backward(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  const int64_t room_each = p.keys * (1 + p.size + p.values);
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [=](void* const* a, void* room) {
      const Rows<T> rows = rows_of<T>(p, a, 6);
      void* const* out = a + (p.masked ? 7 : 6);
      const Grads<T> grads{static_cast<const T*>(a[5]), static_cast<T*>(out[0]),
                           static_cast<T*>(out[1]), static_cast<T*>(out[2])};
      parallel_for(p.count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n)
          backward(rows, n, static_cast<const T*>(a[3]), static_cast<const Sum<T>*>(a[4]), grads,
                   static_cast<double*>(room) + n * room_each);
      });
    };
    return make_kernel(body, static_cast<uint64_t>(p.count * room_each) * sizeof(double));
  });
}

const RegisterKernel attention{"attention", "rows", reference, plan_forward};
const RegisterKernel attention_grad{"attention_grad", "rows", reference, plan_backward};

}  // namespace
}  // namespace stoker::cpu
