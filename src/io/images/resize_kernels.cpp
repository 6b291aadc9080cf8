#include "io/images/resize_kernels.h"

// foreach_target.h compiles this file again for each target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "io/images/resize_kernels.cpp"
#include "core/simd_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace stoker::images::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;

HWY_INLINE auto load_floats(Wide d, const float* at) { return hn::LoadU(d, at); }
HWY_INLINE auto load_floats(Wide d, const uint8_t* at) {
  const hn::Rebind<uint8_t, Wide> bytes;
  const hn::RebindToSigned<Wide> whole;
  return hn::ConvertTo(d, hn::PromoteTo(whole, hn::LoadU(bytes, at)));
}

template <class T>
HWY_INLINE float weighed(const T* const* rows, const float* weights, int taps, int64_t i) {
  float sum = 0;
  for (int t = 0; t < taps; ++t) sum += weights[t] * static_cast<float>(rows[t][i]);
  return sum;
}

template <class T>
HWY_INLINE void add_rows(const T* const* rows, const float* weights, int taps, int64_t n,
                         float* out) {
  const Wide d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto sum = hn::Mul(hn::Set(d, weights[0]), load_floats(d, rows[0] + i));
    for (int t = 1; t < taps; ++t)
      sum = hn::MulAdd(hn::Set(d, weights[t]), load_floats(d, rows[t] + i), sum);
    hn::StoreU(sum, d, out + i);
  }
  for (; i < n; ++i) out[i] = weighed(rows, weights, taps, i);
}

template <class T>
HWY_INLINE void add_two_rows(const T* first, const T* second, const float* weights, int64_t n,
                             float* out) {
  const Wide d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto w0 = hn::Set(d, weights[0]), w1 = hn::Set(d, weights[1]);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::MulAdd(w1, load_floats(d, second + i), hn::Mul(w0, load_floats(d, first + i))),
               d, out + i);
  for (; i < n; ++i)
    out[i] = weights[0] * static_cast<float>(first[i]) + weights[1] * static_cast<float>(second[i]);
}

template <class T>
HWY_INLINE void rows_of(const T* const* rows, const float* weights, int taps, int64_t n,
                        float* out) {
  if (taps == 2)
    add_two_rows(rows[0], rows[1], weights, n, out);
  else
    add_rows(rows, weights, taps, n, out);
}

void byte_rows(const uint8_t* const* rows, const float* weights, int taps, int64_t n, float* out) {
  rows_of(rows, weights, taps, n, out);
}
void float_rows(const float* const* rows, const float* weights, int taps, int64_t n, float* out) {
  rows_of(rows, weights, taps, n, out);
}

#if HWY_TARGET != HWY_SCALAR
// A pixel of three or four channels is one vector; with three, the fourth lane is overwritten by
// the next pixel. known_taps is 0 if unknown at compile time.
template <int channels, int known_taps>
HWY_INLINE void pixel_columns(const float* row, int64_t first, const Axis& axis,
                              const Normalization& normalization, float* out) {
  const hn::FixedTag<float, 4> d;
  const auto scale = hn::LoadU(d, normalization.scale.data());
  const auto offset = hn::LoadU(d, normalization.offset.data());
  const int taps = known_taps ? known_taps : axis.taps;
  const float* weights = axis.weights.data();
  const size_t n = axis.starts.size();
  HWY_ALIGN float last[4];
  for (size_t x = 0; x < n; ++x, weights += taps) {
    const float* from = row + (axis.starts[x] - first) * channels;
    auto sum = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, from));
    for (int t = 1; t < taps; ++t)
      sum = hn::MulAdd(hn::Set(d, weights[t]), hn::LoadU(d, from + t * channels), sum);
    sum = hn::MulAdd(sum, scale, offset);
    if (channels == 4 || x + 1 < n) {
      hn::StoreU(sum, d, out + x * channels);
    } else {
      hn::Store(sum, d, last);
      std::copy(last, last + channels, out + x * channels);
    }
  }
}

template <int channels>
HWY_INLINE void pixel_columns(const float* row, int64_t first, const Axis& axis,
                              const Normalization& normalization, float* out) {
  if (axis.taps == 2)
    pixel_columns<channels, 2>(row, first, axis, normalization, out);
  else
    pixel_columns<channels, 0>(row, first, axis, normalization, out);
}
#endif

void any_columns(const float* row, int64_t first, const Axis& axis, int channels,
                 const Normalization& normalization, float* out) {
  const float* weights = axis.weights.data();
  for (size_t x = 0; x < axis.starts.size(); ++x, weights += axis.taps)
    for (int c = 0; c < channels; ++c) {
      const float* from = row + (axis.starts[x] - first) * channels + c;
      float sum = 0;
      for (int t = 0; t < axis.taps; ++t) sum += weights[t] * from[t * channels];
      const size_t by = c < 4 ? static_cast<size_t>(c) : 0;
      *out++ = sum * normalization.scale[by] + normalization.offset[by];
    }
}

void columns(const float* row, int64_t first, const Axis& axis, int channels,
             const Normalization& normalization, float* out) {
#if HWY_TARGET != HWY_SCALAR
  if (channels == 3) return pixel_columns<3>(row, first, axis, normalization, out);
  if (channels == 4) return pixel_columns<4>(row, first, axis, normalization, out);
#endif
  any_columns(row, first, axis, channels, normalization, out);
}

void bytes(const float* values, int64_t n, uint8_t* out) {
  const Wide d;
  const hn::Rebind<uint8_t, Wide> bytes_d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::DemoteTo(bytes_d, hn::NearestInt(hn::LoadU(d, values + i))), bytes_d, out + i);
  for (; i < n; ++i)
    out[i] = static_cast<uint8_t>(std::clamp(std::nearbyint(values[i]), 0.0f, 255.0f));
}

}  // namespace stoker::images::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::images {

HWY_EXPORT(byte_rows);
HWY_EXPORT(float_rows);
HWY_EXPORT(columns);
HWY_EXPORT(bytes);

void weigh_rows(const uint8_t* const* rows, const float* weights, int taps, int64_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(byte_rows)(rows, weights, taps, n, out);
}
void weigh_rows(const float* const* rows, const float* weights, int taps, int64_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(float_rows)(rows, weights, taps, n, out);
}
void weigh_columns(const float* row, int64_t first, const Axis& axis, int channels,
                   const Normalization& normalization, float* out) {
  HWY_DYNAMIC_DISPATCH(columns)(row, first, axis, channels, normalization, out);
}
void round_to_bytes(const float* values, int64_t n, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(bytes)(values, n, out);
}

}  // namespace stoker::images
#endif  // HWY_ONCE
