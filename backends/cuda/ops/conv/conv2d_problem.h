#pragma once
#include "kernel.h"
#include "kernel_source.h"

namespace stoker::cuda {

// Sizes of a convolution or pooling, channels last, as the kernels see them (Conv in conv2d_text).
// out_* are the convolution's own, before any pooling.
struct Conv2dProblem {
  int batch, height, width, channels;
  int out_height, out_width, filters, groups;
  int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
  int pool_h, pool_w;  // 1 x 1 without pooling

  int64_t images() const { return int64_t{batch} * height * width * channels; }
  int64_t outputs() const { return int64_t{batch} * out_height * out_width * filters; }
  int64_t windows() const {  // pixels after pooling
    return int64_t{batch} * (out_height / pool_h) * (out_width / pool_w);
  }
  int weight_rows() const { return kernel_h * kernel_w * (channels / groups); }
};

// x: the images; kernel: (height, width, channels of a group, filters).
Conv2dProblem conv2d_problem(const NodeView& node, const Shape& x, const Shape& kernel);
Conv2dProblem pool2d_problem(const NodeView& node, const Shape& x, const Shape& y);

// True for a floating-point type in all inputs and outputs but indices; else sets the reason.
bool is_one_float_type(const NodeView& node, std::string& refusal);
// "" or "relu"; anything else is refused.
bool has_known_activation(const NodeView& node, std::string& refusal);

// False if a fused op is so large that its parts, each by the fastest kernel, are faster than a
// plain one.
bool is_small(const Conv2dProblem& problem, std::string& refusal);

// A file that includes conv/conv2d_problem.cuh, with the types T (storage) and A (compute), and
// Conv.
KernelSource conv2d_source(const char* file, DType dtype);

}  // namespace stoker::cuda
