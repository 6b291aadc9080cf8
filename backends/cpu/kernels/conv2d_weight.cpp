// foreach_target.h compiles this file again for each target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv2d_weight.cpp"
#include "core/simd_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "core/thread_pool.h"
#include "kernels/conv2d_weight-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

// Adds elements [begin, end) of the parts' sums in order.
void reduce_parts(const WeightPlan& plan, const float* parts, int64_t begin, int64_t end,
                  float* out) {
  std::memcpy(out, parts + begin, (end - begin) * sizeof(float));
  for (int64_t p = 1; p < plan.parts; ++p) {
    for_each_vector(end - begin, AddRow{parts + p * plan.part_floats() + begin, out});
  }
}

template <typename Gradient>
void run_weight_gradient(const WeightPlan& plan, const float* x, const Gradient& gradient,
                         float* d_kernel, float* d_bias, float* workspace, ThreadPool& pool) {
  int64_t* tables = reinterpret_cast<int64_t*>(workspace);
  float* parts = workspace + plan.table_floats();
  fill_tables(plan, tables);
  const int64_t units = plan.units();
  pool.run(static_cast<int>(plan.parts), [&](int index) {
    WeightPart<Gradient> part(plan, x, gradient, d_bias != nullptr, tables,
                              parts + index * plan.part_floats());
    for (int64_t u = units * index / plan.parts; u < units * (index + 1) / plan.parts; ++u)
      part.run(u);
  });
  parallel_for(plan.kernel_floats(), 16384, [&](int64_t begin, int64_t end) {
    reduce_parts(plan, parts, begin, end, d_kernel + begin);
  });
  if (d_bias) {
    reduce_parts(plan, parts, plan.kernel_floats(), plan.kernel_floats() + plan.shape.out_c,
                 d_bias);
  }
}

size_t weight_bytes(const Conv2dShape& shape, const PoolWindow* pool, int threads) {
  return plan_weight_gradient(shape, pool, threads).workspace_floats() * sizeof(float);
}

void weight_gradient(const Conv2dShape& shape, const float* x, const float* dy, float* d_kernel,
                     float* d_bias, float* workspace, ThreadPool& pool) {
  run_weight_gradient(plan_weight_gradient(shape, nullptr, pool.size()), x, PlainGradient{dy},
                      d_kernel, d_bias, workspace, pool);
}

void pool_weight_gradient(const Conv2dShape& shape, const PoolWindow& window, const float* x,
                          const float* d_pooled, const uint8_t* index, float* d_kernel,
                          float* d_bias, float* workspace, ThreadPool& pool) {
  run_weight_gradient(plan_weight_gradient(shape, &window, pool.size()), x,
                      PooledGradient{d_pooled, index}, d_kernel, d_bias, workspace, pool);
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::cpu {

HWY_EXPORT(weight_bytes);
HWY_EXPORT(weight_gradient);
HWY_EXPORT(pool_weight_gradient);

size_t conv2d_weight_gradient_workspace_bytes(const Conv2dShape& shape) {
  return HWY_DYNAMIC_DISPATCH(weight_bytes)(shape, nullptr, ThreadPool::global().size());
}

void conv2d_weight_gradient(const Conv2dShape& shape, const float* x, const float* dy,
                            float* d_kernel, float* d_bias, void* workspace) {
  HWY_DYNAMIC_DISPATCH(weight_gradient)
  (shape, x, dy, d_kernel, d_bias, static_cast<float*>(workspace), ThreadPool::global());
}

size_t conv2d_pool_weight_gradient_workspace_bytes(const Conv2dShape& shape,
                                                   const PoolWindow& pool) {
  return HWY_DYNAMIC_DISPATCH(weight_bytes)(shape, &pool, ThreadPool::global().size());
}

void conv2d_pool_weight_gradient(const Conv2dShape& shape, const PoolWindow& pool, const float* x,
                                 const float* d_pooled, const uint8_t* index, float* d_kernel,
                                 float* d_bias, void* workspace) {
  HWY_DYNAMIC_DISPATCH(pool_weight_gradient)
  (shape, pool, x, d_pooled, index, d_kernel, d_bias, static_cast<float*>(workspace),
   ThreadPool::global());
}

}  // namespace stoker::cpu
#endif
