#pragma once
#include "kernels/conv2d.h"
#include "ops/support.h"
#include "sum_order.h"

// Converts a node's convolution to the kernels' description.
namespace stoker::cpu {

inline float* floats(void* p) { return static_cast<float*>(p); }

inline Conv2dShape shape_of(const NodeView& node, const Shape& x, const Shape& kernel) {
  const auto strides = node.integers("strides"), dilation = node.integers("dilation"),
             padding = node.integers("padding");
  Conv2dShape s;
  s.batch = x[0];
  s.in_h = x[1];
  s.in_w = x[2];
  s.in_c = x[3];
  s.kernel_h = kernel[0];
  s.kernel_w = kernel[1];
  s.out_c = kernel[3];
  s.stride_h = strides[0];
  s.stride_w = strides[1];
  s.dilation_h = dilation[0];
  s.dilation_w = dilation[1];
  s.pad_top = padding[0];
  s.pad_bottom = padding[1];
  s.pad_left = padding[2];
  s.pad_right = padding[3];
  s.groups = node.integer("groups", 1);
  s.sum_shares = sum_shares();
  return s;
}

inline bool serves(const NodeView& node, std::string& refusal) {
  for (const TensorType& type : node.in) {
    if (type.dtype != DType::float32 && type.dtype != DType::uint8) refusal = "computes in float32";
    if (type.shape.size() == 0) refusal = "an operand is empty";
  }
  for (const TensorType& type : node.out)
    if (type.shape.size() == 0) refusal = "the result is empty";
  if (node.in[0].dtype != DType::float32) refusal = "computes in float32";
  return refusal.empty();
}

inline Activation activation_of(const NodeView& node) {
  return node.text("activation") == "relu" ? Activation::kRelu : Activation::kIdentity;
}

}  // namespace stoker::cpu
