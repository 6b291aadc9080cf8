#include "kernels/depthwise.h"

// foreach_target.h compiles this file again for each target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/depthwise.cpp"
#include "core/simd_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <algorithm>

#include "kernels/epilogue-inl.h"
#include "kernels/thread_count.h"
#include "kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

// The input pixels of a window, each with its row of the kernel.
struct Taps {
  // larger windows are processed in several passes, which accumulate
  static constexpr int most = 64;
  const float* pixel[most];
  const float* weight[most];
  int count = 0;
};

struct SumOfTaps {
  template <typename Tag>
  HWY_INLINE void operator()(Tag d, int64_t i) const {
    auto sum = first ? hn::Zero(d) : hn::LoadU(d, sums + i);
    for (int t = 0; t < taps.count; ++t)
      sum = hn::MulAdd(hn::LoadU(d, taps.pixel[t] + i), hn::LoadU(d, taps.weight[t] + i), sum);
    hn::StoreU(sum, d, sums + i);
  }
  const Taps& taps;
  float* sums;
  bool first;
};

// sums[c] = the products of the taps found by for_taps(found), over all channels.
template <typename ForTaps>
HWY_INLINE void sum_pixel(int64_t channels, const ForTaps& for_taps, float* sums) {
  Taps taps;
  bool first = true;
  for_taps([&](const float* pixel, const float* weight) {
    if (taps.count == Taps::most) {
      for_each_vector(channels, SumOfTaps{taps, sums, first});
      first = false;
      taps.count = 0;
    }
    taps.pixel[taps.count] = pixel;
    taps.weight[taps.count++] = weight;
  });
  for_each_vector(channels, SumOfTaps{taps, sums, first});
}

HWY_INLINE void finish_pixel(int64_t channels, const Epilogue& epilogue, int64_t pixel, float* y) {
  const bool relu = epilogue.activation == Activation::kRelu;
  if (!epilogue.bias && !relu && !epilogue.mask) return;
  const float* mask = epilogue.mask ? epilogue.mask + pixel * epilogue.mask_ld : nullptr;
  for_each_vector(channels, StoreRow{y, nullptr, epilogue.bias, relu, mask, y});
}

void forward_row(const Conv2dShape& s, const float* x, const float* kernel,
                 const Epilogue& epilogue, float* y, int64_t row) {
  const int64_t out_w = s.out_w(), n = row / s.out_h(), oh = row % s.out_h();
  for (int64_t ow = 0; ow < out_w; ++ow) {
    const auto for_taps = [&](const auto& found) {
      for (int64_t kh = 0; kh < s.kernel_h; ++kh) {
        const int64_t h = oh * s.stride_h - s.pad_top + kh * s.dilation_h;
        if (h < 0 || h >= s.in_h) continue;
        for (int64_t kw = 0; kw < s.kernel_w; ++kw) {
          const int64_t w = ow * s.stride_w - s.pad_left + kw * s.dilation_w;
          if (w < 0 || w >= s.in_w) continue;
          found(x + ((n * s.in_h + h) * s.in_w + w) * s.in_c,
                kernel + (kh * s.kernel_w + kw) * s.in_c);
        }
      }
    };
    const int64_t pixel = row * out_w + ow;
    sum_pixel(s.in_c, for_taps, y + pixel * s.in_c);
    finish_pixel(s.in_c, epilogue, pixel, y + pixel * s.in_c);
  }
}

// The output position whose window element k reads input `at`, or -1.
HWY_INLINE int64_t position(int64_t at, int64_t stride, int64_t positions) {
  return at >= 0 && at % stride == 0 && at / stride < positions ? at / stride : -1;
}

void input_gradient_row(const Conv2dShape& s, const float* dy, const float* kernel,
                        const Epilogue& epilogue, float* dx, int64_t row) {
  const int64_t n = row / s.in_h, h = row % s.in_h, out_h = s.out_h(), out_w = s.out_w();
  for (int64_t w = 0; w < s.in_w; ++w) {
    const auto for_taps = [&](const auto& found) {
      for (int64_t kh = 0; kh < s.kernel_h; ++kh) {
        const int64_t oh = position(h + s.pad_top - kh * s.dilation_h, s.stride_h, out_h);
        if (oh < 0) continue;
        for (int64_t kw = 0; kw < s.kernel_w; ++kw) {
          const int64_t ow = position(w + s.pad_left - kw * s.dilation_w, s.stride_w, out_w);
          if (ow < 0) continue;
          found(dy + ((n * out_h + oh) * out_w + ow) * s.in_c,
                kernel + (kh * s.kernel_w + kw) * s.in_c);
        }
      }
    };
    const int64_t pixel = row * s.in_w + w;
    sum_pixel(s.in_c, for_taps, dx + pixel * s.in_c);
    finish_pixel(s.in_c, epilogue, pixel, dx + pixel * s.in_c);
  }
}

// sums[c] += the products of `count` pixels or, with x null, the sum of dy.
struct SumOfRow {
  template <typename Tag>
  HWY_INLINE void operator()(Tag d, int64_t i) const {
    auto sum = hn::LoadU(d, sums + i);
    for (int64_t k = 0; k < count; ++k) {
      const auto gradient = hn::LoadU(d, dy + k * pitch + i);
      sum = x ? hn::MulAdd(hn::LoadU(d, x + k * stride * pitch + i), gradient, sum)
              : hn::Add(sum, gradient);
    }
    hn::StoreU(sum, d, sums + i);
  }
  const float* x;
  const float* dy;
  int64_t count, stride, pitch;
  float* sums;
};

// Adds the contribution of one row of dy to the kernel's gradient, and after it to the bias's.
void weight_gradient_row(const Conv2dShape& s, const float* x, const float* dy, int64_t row,
                         float* sums) {
  const int64_t out_w = s.out_w(), n = row / s.out_h(), oh = row % s.out_h();
  const float* out = dy + row * out_w * s.in_c;
  for (int64_t kh = 0; kh < s.kernel_h; ++kh) {
    const int64_t h = oh * s.stride_h - s.pad_top + kh * s.dilation_h;
    if (h < 0 || h >= s.in_h) continue;
    for (int64_t kw = 0; kw < s.kernel_w; ++kw) {
      const int64_t offset = kw * s.dilation_w - s.pad_left;  // of the first pixel
      const int64_t begin = offset >= 0 ? 0 : (-offset + s.stride_w - 1) / s.stride_w;
      const int64_t last = s.in_w - 1 - offset;
      const int64_t end = last < 0 ? 0 : std::min(out_w, last / s.stride_w + 1);
      if (begin >= end) continue;
      const int64_t w = begin * s.stride_w + offset;
      for_each_vector(s.in_c, SumOfRow{x + ((n * s.in_h + h) * s.in_w + w) * s.in_c,
                                       out + begin * s.in_c, end - begin, s.stride_w, s.in_c,
                                       sums + (kh * s.kernel_w + kw) * s.in_c});
    }
  }
  for_each_vector(
      s.in_c, SumOfRow{nullptr, out, out_w, 1, s.in_c, sums + s.kernel_h * s.kernel_w * s.in_c});
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::cpu {

HWY_EXPORT(forward_row);
HWY_EXPORT(input_gradient_row);
HWY_EXPORT(weight_gradient_row);

namespace {

int64_t gradient_floats(const Conv2dShape& s) { return (s.kernel_h * s.kernel_w + 1) * s.in_c; }
constexpr int kUsualLanes = 8;
// For rows of an output, or of the input for its gradient.
int64_t threads_of(const Conv2dShape& s, int64_t rows, int64_t columns) {
  const auto products =
      static_cast<double>(rows * columns) * static_cast<double>(s.in_c * s.kernel_h * s.kernel_w);
  return threads_for_products(products, kUsualLanes, ThreadPool::global().size());
}
int64_t shares_of(const Conv2dShape& s) {
  const int64_t rows = s.batch * s.out_h(),
                shares = s.sum_shares > 0 ? s.sum_shares : threads_of(s, rows, s.out_w());
  return std::max<int64_t>(1, std::min(shares, rows));
}

}  // namespace

bool is_depthwise(const Conv2dShape& shape) {
  return shape.groups == shape.in_c && shape.out_c == shape.in_c && shape.in_c > 1;
}

void depthwise_forward(const Conv2dShape& shape, const float* x, const float* kernel,
                       const Epilogue& epilogue, float* y) {
  const int64_t rows = shape.batch * shape.out_h();
  share_out(rows, threads_of(shape, rows, shape.out_w()), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      HWY_DYNAMIC_DISPATCH(forward_row)(shape, x, kernel, epilogue, y, row);
  });
}

void depthwise_input_gradient(const Conv2dShape& shape, const float* dy, const float* kernel,
                              const Epilogue& epilogue, float* dx) {
  const int64_t rows = shape.batch * shape.in_h;
  share_out(rows, threads_of(shape, rows, shape.in_w), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      HWY_DYNAMIC_DISPATCH(input_gradient_row)(shape, dy, kernel, epilogue, dx, row);
  });
}

size_t depthwise_weight_gradient_workspace_bytes(const Conv2dShape& shape) {
  return static_cast<size_t>(shares_of(shape) * gradient_floats(shape)) * sizeof(float);
}

// Each part of the rows has its own sums, which are added in order.
void depthwise_weight_gradient(const Conv2dShape& shape, const float* x, const float* dy,
                               float* d_kernel, float* d_bias, void* workspace) {
  const int64_t shares = shares_of(shape), rows = shape.batch * shape.out_h(),
                floats = gradient_floats(shape);
  float* sums = static_cast<float*>(workspace);
  share_out(shares, shares, [&](int64_t begin, int64_t end) {
    for (int64_t share = begin; share < end; ++share) {
      float* own = sums + share * floats;
      std::fill_n(own, floats, 0.0f);
      for (int64_t row = rows * share / shares; row < rows * (share + 1) / shares; ++row)
        HWY_DYNAMIC_DISPATCH(weight_gradient_row)(shape, x, dy, row, own);
    }
  });
  for (int64_t share = 1; share < shares; ++share)
    for (int64_t i = 0; i < floats; ++i) sums[i] += sums[share * floats + i];
  std::copy_n(sums, floats - shape.in_c, d_kernel);
  if (d_bias) std::copy_n(sums + floats - shape.in_c, shape.in_c, d_bias);
}

}  // namespace stoker::cpu
#endif
