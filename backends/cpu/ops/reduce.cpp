#include <limits>
#include <type_traits>

#include "ops/strided_copy.h"

namespace stoker::cpu {
namespace {

// The offsets of the elements of some axes, in row-major order.
struct Walk {
  std::vector<CopyAxis> axes;
  int64_t count() const {
    int64_t n = 1;
    for (const CopyAxis& axis : axes) n *= axis.size;
    return n;
  }
  int64_t offset(int64_t i) const {
    int64_t at = 0;
    for (size_t a = axes.size(); a-- > 0; i /= axes[a].size) at += i % axes[a].size * axes[a].from;
    return at;
  }
};

// The input's axes, split into kept ones, reduced ones and the innermost group of either kind.
struct Plan {
  Walk kept, reduced;
  int64_t inner = 1;
  bool inner_reduced = false;
};

Plan plan_axes(const Shape& shape, const std::vector<int64_t>& axis) {
  std::vector<bool> is_reduced(static_cast<size_t>(shape.rank()), axis.empty());
  for (int64_t a : axis) is_reduced[static_cast<size_t>(normalize_axis(a, shape.rank()))] = true;
  Plan plan;
  int rank = shape.rank();
  if (rank > 0) plan.inner_reduced = is_reduced.back();
  while (rank > 0 && is_reduced[static_cast<size_t>(rank - 1)] == plan.inner_reduced)
    plan.inner *= shape[--rank];
  const auto strides = strides_of(shape);
  for (int i = 0; i < rank; ++i) {
    const auto at = static_cast<size_t>(i);
    (is_reduced[at] ? plan.reduced : plan.kept).axes.push_back({shape[i], strides[at], 0});
  }
  return plan;
}

// Sums of floats are accumulated in double; everything else in its own type.
template <class T>
struct Sum {
  using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  static constexpr Accumulator identity = 0;
  static Accumulator join(Accumulator a, Accumulator b) { return static_cast<Accumulator>(a + b); }
};
template <class T>
struct Max {
  using Accumulator = T;
  static constexpr T identity = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                                            : std::numeric_limits<T>::lowest();
  static T join(T a, T b) { return b > a || b != b ? b : a; }  // NaN propagates
};
template <class T>
struct Min {
  using Accumulator = T;
  static constexpr T identity = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                                            : std::numeric_limits<T>::max();
  static T join(T a, T b) { return b < a || b != b ? b : a; }
};

// One output from contiguous pieces of the input.
template <class Join, class T>
void reduce_rows(const Plan& plan, const T* in, T* out) {
  using Accumulator = typename Join::Accumulator;
  constexpr int64_t lanes = 8;
  const int64_t pieces = plan.reduced.count();
  parallel_for(plan.kept.count(), grain_for(pieces * plan.inner), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      Accumulator lane[lanes];
      std::fill_n(lane, lanes, Join::identity);
      for (int64_t r = 0; r < pieces; ++r) {
        const T* row = in + plan.kept.offset(o) + plan.reduced.offset(r);
        int64_t i = 0;
        for (; i + lanes <= plan.inner; i += lanes)
          for (int64_t l = 0; l < lanes; ++l)
            lane[l] = Join::join(lane[l], static_cast<Accumulator>(row[i + l]));
        for (; i < plan.inner; ++i) lane[0] = Join::join(lane[0], static_cast<Accumulator>(row[i]));
      }
      for (int64_t l = 1; l < lanes; ++l) lane[0] = Join::join(lane[0], lane[l]);
      out[o] = static_cast<T>(lane[0]);
    }
  });
}

// A row of outputs from rows of the input, a block of columns at a time.
template <class Join, class T>
void reduce_columns(const Plan& plan, const T* in, T* out) {
  using Accumulator = typename Join::Accumulator;
  const int64_t blocks = column_blocks(plan.inner), pieces = plan.reduced.count();
  const int64_t work = pieces * std::min(plan.inner, column_block);
  parallel_for(plan.kept.count() * blocks, grain_for(work), [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t row = task / blocks, first = task % blocks * column_block;
      const int64_t count = std::min(column_block, plan.inner - first);
      Accumulator sums[column_block];
      std::fill_n(sums, count, Join::identity);
      for (int64_t r = 0; r < pieces; ++r) {
        const T* from = in + plan.kept.offset(row) + plan.reduced.offset(r) + first;
        for (int64_t j = 0; j < count; ++j)
          sums[j] = Join::join(sums[j], static_cast<Accumulator>(from[j]));
      }
      for (int64_t j = 0; j < count; ++j)
        out[row * plan.inner + first + j] = static_cast<T>(sums[j]);
    }
  });
}

template <template <class> class Join>
std::unique_ptr<Kernel> plan_reduce(const NodeView& node, std::string& refusal) {
  const Plan plan = plan_axes(node.in[0].shape, node.integers("axis"));
  return for_numbers(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel([plan](void* const* p, void*) {
      const T* in = static_cast<const T*>(p[0]);
      T* out = static_cast<T*>(p[1]);
      plan.inner_reduced ? reduce_rows<Join<T>>(plan, in, out)
                         : reduce_columns<Join<T>>(plan, in, out);
    });
  });
}

const RegisterKernel sum{"reduce_sum", "plain", reference, plan_reduce<Sum>};
const RegisterKernel max{"reduce_max", "plain", reference, plan_reduce<Max>};
const RegisterKernel min{"reduce_min", "plain", reference, plan_reduce<Min>};

}  // namespace
}  // namespace stoker::cpu
