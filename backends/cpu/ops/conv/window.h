#pragma once
#include "kernel.h"

namespace stoker::cpu {

// The sliding window of a convolution or pooling along one axis.
struct Window {
  int64_t size, stride, dilation, before;

  // The input index of element `k` of the window at position `out`; may be outside the input.
  int64_t input(int64_t out, int64_t k) const { return out * stride - before + k * dilation; }
  // The position whose window element `k` reads input `in`, or -1.
  int64_t output(int64_t in, int64_t k, int64_t positions) const {
    const int64_t t = in + before - k * dilation;
    return t >= 0 && t % stride == 0 && t / stride < positions ? t / stride : -1;
  }
};

inline Window window(const NodeView& node, const char* size, size_t axis) {
  const auto dilation = node.integers("dilation");
  return {node.integers(size)[axis], node.integers("strides")[axis],
          dilation.empty() ? 1 : dilation[axis], node.integers("padding")[2 * axis]};
}

}  // namespace stoker::cpu
