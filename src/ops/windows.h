#pragma once
#include "graph/attrs.h"
#include "stoker/ops/conv.h"

// Sliding windows: common part of convolution and pooling.
namespace stoker::ops {

struct Window {
  int64_t size, stride, dilation, before, after;
  int64_t span() const { return (size - 1) * dilation + 1; }
  int64_t positions(int64_t length) const {
    return (length + before + after - span()) / stride + 1;
  }
};

inline Window window(const graph::Attrs& attrs, const char* size, int axis) {
  const auto i = static_cast<size_t>(axis);
  const auto dilation = attrs.integers("dilation");
  const auto padding = attrs.integers("padding");
  return {attrs.integers(size)[i], attrs.integers("strides")[i], dilation.empty() ? 1 : dilation[i],
          padding[2 * i], padding[2 * i + 1]};
}

}  // namespace stoker::ops
