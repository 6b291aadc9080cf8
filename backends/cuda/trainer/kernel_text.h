#pragma once
#include <string>

#include "trainer/stack_layout.h"

namespace stoker::cuda::trainer {

// The program of the kernel `train_dense_stack`.
std::string kernel_text(const StackSpec& spec, const StackLayout& layout);

inline constexpr int most_layers = 8;
// The kernel's arguments; matches trainer/arguments.cuh.
struct KernelArguments {
  const void *x, *y;
  const int64_t* index;
  int64_t x_stride, y_stride, index_stride;  // bytes per step
  int64_t steps;
  float *w[most_layers], *b[most_layers];
  float *wm[most_layers], *bm[most_layers];
  float *wv[most_layers], *bv[most_layers];
  const float* learning_rate;
  int64_t* iteration;
  int64_t* calls[most_layers];
  float *loss_total, *loss_count, *accuracy_total, *accuracy_count;
};

}  // namespace stoker::cuda::trainer
