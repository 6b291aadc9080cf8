#include "kernels/adam.h"

// foreach_target.h compiles this file again for each target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/adam.cpp"
#include "core/round_up.h"
#include "core/simd_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <algorithm>

#include "core/thread_pool.h"
#include "kernels/adam-inl.h"
#include "kernels/column_sums-inl.h"
#include "kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

struct AdamRange {
  template <typename Tag>
  HWY_INLINE void operator()(Tag d, int64_t i) const {
    scalars.apply(d, gradient + i, w + i, m + i, v + i);
  }
  AdamScalars scalars;
  const float* gradient;
  float* w;
  float* m;
  float* v;
};

void adam_range(int64_t begin, int64_t end, const AdamStep& step, const float* gradient) {
  for_each_vector(end - begin, AdamRange{AdamScalars(step), gradient + begin, step.w + begin,
                                         step.m + begin, step.v + begin});
}

void column_sums_range(int64_t rows, int64_t cols, const float* x, int64_t ld, bool accumulate,
                       float* out) {
  for_each_vector(cols, ColumnSum{rows, x, ld, accumulate, out});
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::cpu {

HWY_EXPORT(adam_range);
HWY_EXPORT(column_sums_range);

void adam_update(int64_t n, const AdamStep& step, const float* gradient) {
  parallel_for(n, 8192, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(adam_range)(begin, end, step, gradient);
  });
}

void column_sums(int64_t rows, int64_t cols, const float* x, int64_t ld, bool accumulate,
                 float* out) {
  // Chunks of whole cache lines; each column is summed by one thread, so the order is fixed.
  const int64_t lines = ceil_div(cols, 16);
  parallel_for(lines, std::max<int64_t>(1, 2048 / std::max<int64_t>(rows, 1)),
               [&](int64_t begin, int64_t end) {
                 const int64_t from = begin * 16, to = std::min(cols, end * 16);
                 HWY_DYNAMIC_DISPATCH(column_sums_range)
                 (rows, to - from, x + from, ld, accumulate, out + from);
               });
}

}  // namespace stoker::cpu
#endif
