#include "kernels/conv2d.h"

// foreach_target.h compiles this file again for each target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv2d.cpp"
#include "core/simd_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "kernels/conv2d_forward-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

inline ConvPlan forward_plan(const Conv2dShape& shape, const PoolWindow& window) {
  return plan_conv(shape, forward_source(shape), shape.out_h(), shape.out_w(), window);
}

inline ConvPlan gradient_plan(const Conv2dShape& shape) {
  return plan_conv(gradient_shape(shape), gradient_source(shape), shape.in_h, shape.in_w, {1, 1});
}

size_t forward_bytes(const Conv2dShape& shape, const PoolWindow& window, int threads) {
  return forward_plan(shape, window).workspace_floats(threads) * sizeof(float);
}

size_t gradient_bytes(const Conv2dShape& shape, int threads) {
  return gradient_plan(shape).workspace_floats(threads) * sizeof(float);
}

void forward(const Conv2dShape& shape, const float* x, const float* kernel,
             const Epilogue& epilogue, float* y, float* workspace, ThreadPool& pool) {
  run_conv(forward_plan(shape, {1, 1}), x, kernel, false, StoreSums(epilogue, y, shape.out_c),
           workspace, pool);
}

void pool_forward(const Conv2dShape& shape, const PoolWindow& window, const float* x,
                  const float* kernel, const float* bias, Activation activation, float* y,
                  uint8_t* index, float* workspace, ThreadPool& pool) {
  run_conv(forward_plan(shape, window), x, kernel, false,
           PoolSums(window, bias, activation, shape.out_c, y, index), workspace, pool);
}

void input_gradient(const Conv2dShape& shape, const float* dy, const float* kernel,
                    const Epilogue& epilogue, float* dx, float* workspace, ThreadPool& pool) {
  run_conv(gradient_plan(shape), dy, kernel, true, StoreSums(epilogue, dx, shape.in_c), workspace,
           pool);
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::cpu {

HWY_EXPORT(forward_bytes);
HWY_EXPORT(gradient_bytes);
HWY_EXPORT(forward);
HWY_EXPORT(pool_forward);
HWY_EXPORT(input_gradient);

size_t conv2d_forward_workspace_bytes(const Conv2dShape& shape) {
  return HWY_DYNAMIC_DISPATCH(forward_bytes)(shape, {1, 1}, ThreadPool::global().size());
}

void conv2d_forward(const Conv2dShape& shape, const float* x, const float* kernel,
                    const Epilogue& epilogue, float* y, void* workspace) {
  HWY_DYNAMIC_DISPATCH(forward)
  (shape, x, kernel, epilogue, y, static_cast<float*>(workspace), ThreadPool::global());
}

size_t conv2d_pool_forward_workspace_bytes(const Conv2dShape& shape, const PoolWindow& pool) {
  return HWY_DYNAMIC_DISPATCH(forward_bytes)(shape, pool, ThreadPool::global().size());
}

void conv2d_pool_forward(const Conv2dShape& shape, const PoolWindow& pool, const float* x,
                         const float* kernel, const float* bias, Activation activation, float* y,
                         uint8_t* index, void* workspace) {
  HWY_DYNAMIC_DISPATCH(pool_forward)
  (shape, pool, x, kernel, bias, activation, y, index, static_cast<float*>(workspace),
   ThreadPool::global());
}

size_t conv2d_input_gradient_workspace_bytes(const Conv2dShape& shape) {
  return HWY_DYNAMIC_DISPATCH(gradient_bytes)(shape, ThreadPool::global().size());
}

void conv2d_input_gradient(const Conv2dShape& shape, const float* dy, const float* kernel,
                           const Epilogue& epilogue, float* dx, void* workspace) {
  HWY_DYNAMIC_DISPATCH(input_gradient)
  (shape, dy, kernel, epilogue, dx, static_cast<float*>(workspace), ThreadPool::global());
}

}  // namespace stoker::cpu
#endif
