#include "kernels/rnn.h"

// foreach_target.h compiles this file again for each target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rnn.cpp"
#include "core/simd_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "kernels/rnn_backward-inl.h"
#include "kernels/rnn_forward-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

size_t forward_workspace(RnnCell cell, const RnnSizes& sizes) {
  size_t floats = 0;
  with_cell(cell, [&](auto kind) { floats = RnnForwardRun<decltype(kind)>::workspace(sizes); });
  return floats * sizeof(float);
}
void forward(RnnCell cell, const RnnForward<float>& data, float* workspace) {
  with_cell(cell, [&](auto kind) { RnnForwardRun<decltype(kind)>(data, workspace).run(); });
}
size_t backward_workspace(RnnCell cell, const RnnSizes& sizes) {
  size_t floats = 0;
  with_cell(cell, [&](auto kind) { floats = RnnBackwardRun<decltype(kind)>::workspace(sizes); });
  return floats * sizeof(float);
}
void backward(RnnCell cell, const RnnBackward<float>& data, float* workspace) {
  with_cell(cell, [&](auto kind) { RnnBackwardRun<decltype(kind)>(data, workspace).run(); });
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::cpu {

HWY_EXPORT(forward_workspace);
HWY_EXPORT(forward);
HWY_EXPORT(backward_workspace);
HWY_EXPORT(backward);

size_t rnn_forward_workspace(RnnCell cell, const RnnSizes& sizes) {
  return HWY_DYNAMIC_DISPATCH(forward_workspace)(cell, sizes);
}
void rnn_forward(RnnCell cell, const RnnForward<float>& data, void* workspace) {
  HWY_DYNAMIC_DISPATCH(forward)(cell, data, static_cast<float*>(workspace));
}
size_t rnn_backward_workspace(RnnCell cell, const RnnSizes& sizes) {
  return HWY_DYNAMIC_DISPATCH(backward_workspace)(cell, sizes);
}
void rnn_backward(RnnCell cell, const RnnBackward<float>& data, void* workspace) {
  HWY_DYNAMIC_DISPATCH(backward)(cell, data, static_cast<float*>(workspace));
}

}  // namespace stoker::cpu
#endif
