#pragma once

#include "kernels/conv2d.h"

namespace stoker::cpu {

// Depthwise convolutions with one filter per channel: groups, in_c and out_c are equal. The
// channels of a pixel are contiguous and computed together.
bool is_depthwise(const Conv2dShape& shape);

void depthwise_forward(const Conv2dShape& shape, const float* x, const float* kernel,
                       const Epilogue& epilogue, float* y);
void depthwise_input_gradient(const Conv2dShape& shape, const float* dy, const float* kernel,
                              const Epilogue& epilogue, float* dx);
// d_kernel, and with d_bias not null the sums of dy over all pixels.
size_t depthwise_weight_gradient_workspace_bytes(const Conv2dShape& shape);
void depthwise_weight_gradient(const Conv2dShape& shape, const float* x, const float* dy,
                               float* d_kernel, float* d_bias, void* workspace);

}  // namespace stoker::cpu
