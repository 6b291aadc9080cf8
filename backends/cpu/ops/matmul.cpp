#include "ops/support.h"

namespace stoker::cpu {
namespace {

struct Product {
  int64_t m, n, k;
  bool trans_a, trans_b;
};

template <class T>
struct Operands {
  const T *a, *b;
  T* c;
};

// b's rows are contiguous: adds one row of b at a time to a block of sums.
template <class T>
void block_of_row(const Product& p, const Operands<T>& x, int64_t i, int64_t first, int64_t count) {
  double sums[column_block] = {};
  for (int64_t k = 0; k < p.k; ++k) {
    const double a = x.a[p.trans_a ? k * p.m + i : i * p.k + k];
    const T* b = x.b + k * p.n + first;
    for (int64_t j = 0; j < count; ++j) sums[j] += a * static_cast<double>(b[j]);
  }
  for (int64_t j = 0; j < count; ++j) x.c[i * p.n + first + j] = static_cast<T>(sums[j]);
}

// b's columns are contiguous: one dot product per element.
template <class T>
void dots_of_row(const Product& p, const Operands<T>& x, int64_t i, int64_t first, int64_t count) {
  const T* a = p.trans_a ? x.a + i : x.a + i * p.k;
  const int64_t step = p.trans_a ? p.m : 1;
  for (int64_t j = first; j < first + count; ++j) {
    const T* b = x.b + j * p.k;
    x.c[i * p.n + j] = static_cast<T>(sum_of(p.k, [&](int64_t k) {
      return static_cast<double>(a[k * step]) * static_cast<double>(b[k]);
    }));
  }
}

template <class T>
void multiply(const Product& p, const Operands<T>& x) {
  const int64_t blocks = column_blocks(p.n);
  parallel_for(p.m * blocks, grain_for(p.k * column_block), [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t i = task / blocks, first = task % blocks * column_block;
      const int64_t count = std::min(column_block, p.n - first);
      p.trans_b ? dots_of_row(p, x, i, first, count) : block_of_row(p, x, i, first, count);
    }
  });
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const bool trans_a = node.flag("transpose_a"), trans_b = node.flag("transpose_b");
  const Product p{node.out[0].shape[0], node.out[0].shape[1], node.in[0].shape[trans_a ? 0 : 1],
                  trans_a, trans_b};
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([p](void* const* a, void*) {
      multiply<T>(
          p, {static_cast<const T*>(a[0]), static_cast<const T*>(a[1]), static_cast<T*>(a[2])});
    });
  });
}

const RegisterKernel matmul{"matmul", "plain", reference, plan};

}  // namespace
}  // namespace stoker::cpu
