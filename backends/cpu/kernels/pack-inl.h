// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_PACK_INL_H_
#undef STOKER_PACK_INL_H_
#else
#define STOKER_PACK_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 4x4 block: out[k * width + j] = in[j * stride + k].
HWY_INLINE void transpose_4x4(const float* HWY_RESTRICT in, int64_t stride, float* HWY_RESTRICT out,
                              int64_t width) {
#if HWY_TARGET == HWY_SCALAR
  for (int64_t k = 0; k < 4; ++k) {
    for (int64_t j = 0; j < 4; ++j) out[k * width + j] = in[j * stride + k];
  }
#else
  const hn::CappedTag<float, 4> d;
  const hn::RepartitionToWide<decltype(d)> dw;
  const auto r0 = hn::LoadU(d, in), r1 = hn::LoadU(d, in + stride);
  const auto r2 = hn::LoadU(d, in + 2 * stride), r3 = hn::LoadU(d, in + 3 * stride);
  const auto l01 = hn::BitCast(dw, hn::InterleaveLower(d, r0, r1));
  const auto l23 = hn::BitCast(dw, hn::InterleaveLower(d, r2, r3));
  const auto u01 = hn::BitCast(dw, hn::InterleaveUpper(d, r0, r1));
  const auto u23 = hn::BitCast(dw, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dw, l01, l23)), d, out);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dw, l01, l23)), d, out + width);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dw, u01, u23)), d, out + 2 * width);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dw, u01, u23)), d, out + 3 * width);
#endif
}

// out[k * width + j] = in[j * stride + k] for j < cols, k < depth.
inline void pack_transposed(const float* in, int64_t stride, int64_t depth, int64_t cols,
                            int64_t width, float* out) {
  const int64_t whole_depth = depth / 4 * 4;
  int64_t j = 0;
  for (; j + 4 <= cols; j += 4) {
    const float* from = in + j * stride;
    for (int64_t k = 0; k < whole_depth; k += 4) {
      // Prefetches the next slice of the same rows: too many streams for the hardware prefetcher.
      __builtin_prefetch(from + (k / 4 % 4) * stride + k / 16 * 16 + depth, 0, 2);
      transpose_4x4(from + k, stride, out + k * width + j, width);
    }
    for (int64_t k = whole_depth; k < depth; ++k) {
      for (int64_t i = 0; i < 4; ++i) out[k * width + j + i] = from[i * stride + k];
    }
  }
  for (; j < cols; ++j) {
    for (int64_t k = 0; k < depth; ++k) out[k * width + j] = in[j * stride + k];
  }
}

struct CopyRow {
  template <typename Tag>
  HWY_INLINE void operator()(Tag d, int64_t i) const {
    hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  }
  const float* from;
  float* to;
};

// A matrix with its reduction index first: element (k, j) is data[k * k_stride + j * j_stride].
struct Operand {
  const float* data;
  int64_t k_stride, j_stride;

  bool contiguous() const { return j_stride == 1; }
  // An empty matrix may have no address.
  const float* at(int64_t k, int64_t j) const {
    return data == nullptr ? nullptr : data + k * k_stride + j * j_stride;
  }
};

// out[k * width + j] for j < cols, zero-padded to width.
inline void pack_panel(const Operand& from, int64_t k0, int64_t j0, int64_t depth, int64_t cols,
                       int64_t width, float* out) {
  if (cols < width) std::memset(out, 0, depth * width * sizeof(float));
  const float* in = from.at(k0, j0);
  if (!from.contiguous()) return pack_transposed(in, from.j_stride, depth, cols, width, out);
  for (int64_t k = 0; k < depth; ++k) {
    for_each_vector(cols, CopyRow{in + k * from.k_stride, out + k * width});
  }
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
