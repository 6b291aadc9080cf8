#include "io/images/color_kernels.h"

// foreach_target.h compiles this file again for each target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "io/images/color_kernels.cpp"
#include "core/simd_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace stoker::images::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;
using V = hn::Vec<Wide>;
struct Rgb {
  V r, g, b;
};

HWY_INLINE V number(float x) { return hn::Set(Wide(), x); }

HWY_INLINE Rgb load(const float* at) {
  Rgb rgb;
  hn::LoadInterleaved3(Wide(), at, rgb.r, rgb.g, rgb.b);
  return rgb;
}
HWY_INLINE void store(const Rgb& rgb, float* at) {
  hn::StoreInterleaved3(rgb.r, rgb.g, rgb.b, Wide(), at);
}

// Converts bytes to [0, 1], and back as tf.image.convert_image_dtype does.
HWY_INLINE Rgb load(const uint8_t* at) {
  const hn::Rebind<uint8_t, Wide> bytes;
  const hn::RebindToSigned<Wide> whole;
  hn::Vec<decltype(bytes)> r, g, b;
  hn::LoadInterleaved3(bytes, at, r, g, b);
  const auto unit = [&](auto v) HWY_ATTR {
    return hn::Mul(hn::ConvertTo(Wide(), hn::PromoteTo(whole, v)), number(1 / 255.0f));
  };
  return {unit(r), unit(g), unit(b)};
}
HWY_INLINE void store(const Rgb& rgb, uint8_t* at) {
  const hn::Rebind<uint8_t, Wide> bytes;
  const hn::RebindToSigned<Wide> whole;
  const auto byte = [&](V v) HWY_ATTR {
    return hn::DemoteTo(bytes, hn::ConvertTo(whole, hn::Mul(v, number(255.5f))));
  };
  hn::StoreInterleaved3(byte(rgb.r), byte(rgb.g), byte(rgb.b), bytes, at);
}

// The remainder of a row uses a padded vector.
template <class T, class F>
HWY_INLINE void each_vector(T* pixels, int64_t n, const F& change) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Wide()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store(change(load(pixels + 3 * i)), pixels + 3 * i);
  if (i >= n) return;
  T rest[3 * HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy(pixels + 3 * i, pixels + 3 * n, rest);
  store(change(load(rest)), rest);
  std::copy(rest, rest + 3 * (n - i), pixels + 3 * i);
}

HWY_INLINE V largest(const Rgb& c) { return hn::Max(c.r, hn::Max(c.g, c.b)); }
HWY_INLINE V least(const Rgb& c) { return hn::Min(c.r, hn::Min(c.g, c.b)); }

// In HSV, a new saturation keeps the largest channel (the value) and scales the distance of the
// others from it; the saturation, (value - least) / value, is clipped to 1.
template <class T>
HWY_INLINE void saturate(T* pixels, int64_t n, float factor) {
  each_vector(pixels, n, [factor](const Rgb& c) HWY_ATTR {
    const V value = largest(c), range = hn::Sub(value, least(c));
    const V most = hn::Div(value, hn::Max(range, number(1e-30f)));
    const V by = hn::Min(number(std::max(factor, 0.0f)), most);
    const auto moved = [&](V x) HWY_ATTR { return hn::NegMulAdd(hn::Sub(value, x), by, value); };
    return Rgb{moved(c.r), moved(c.g), moved(c.b)};
  });
}

// x modulo 6, for hues in sixths of the circle.
HWY_INLINE V within_circle(V x) {
  return hn::NegMulAdd(hn::Floor(hn::Mul(x, number(1 / 6.0f))), number(6), x);
}

HWY_INLINE V hue_of(const Rgb& c, V value, V range) {
  const V inverse = hn::Div(number(1), hn::Max(range, number(1e-30f)));
  const V of_red = hn::Mul(hn::Sub(c.g, c.b), inverse);
  const V of_green = hn::MulAdd(hn::Sub(c.b, c.r), inverse, number(2));
  const V of_blue = hn::MulAdd(hn::Sub(c.r, c.g), inverse, number(4));
  return hn::IfThenElse(hn::Eq(value, c.r), of_red,
                        hn::IfThenElse(hn::Eq(value, c.g), of_green, of_blue));
}

// The distance of a channel below the value grows with the hue's distance from it: red is at 0,
// green at 2, blue at 4.
HWY_INLINE V channel_of(V hue, float place, V value, V range) {
  const V k = within_circle(hn::Add(hue, number(place)));
  const V share = hn::Min(hn::Min(k, hn::Sub(number(4), k)), number(1));
  return hn::NegMulAdd(range, hn::Max(share, number(0)), value);
}

template <class T>
HWY_INLINE void turn(T* pixels, int64_t n, float delta) {
  each_vector(pixels, n, [delta](const Rgb& c) HWY_ATTR {
    const V value = largest(c), range = hn::Sub(value, least(c));
    const V hue = hn::Add(hue_of(c, value, range), number(6 * delta));
    return Rgb{channel_of(hue, 5, value, range), channel_of(hue, 3, value, range),
               channel_of(hue, 1, value, range)};
  });
}

void saturate_bytes(uint8_t* pixels, int64_t n, float factor) { saturate(pixels, n, factor); }
void saturate_floats(float* pixels, int64_t n, float factor) { saturate(pixels, n, factor); }
void turn_bytes(uint8_t* pixels, int64_t n, float delta) { turn(pixels, n, delta); }
void turn_floats(float* pixels, int64_t n, float delta) { turn(pixels, n, delta); }

}  // namespace stoker::images::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::images {

HWY_EXPORT(saturate_bytes);
HWY_EXPORT(saturate_floats);
HWY_EXPORT(turn_bytes);
HWY_EXPORT(turn_floats);

void saturate_pixels(uint8_t* pixels, int64_t n, float factor) {
  HWY_DYNAMIC_DISPATCH(saturate_bytes)(pixels, n, factor);
}
void saturate_pixels(float* pixels, int64_t n, float factor) {
  HWY_DYNAMIC_DISPATCH(saturate_floats)(pixels, n, factor);
}
void turn_pixels(uint8_t* pixels, int64_t n, float delta) {
  HWY_DYNAMIC_DISPATCH(turn_bytes)(pixels, n, delta);
}
void turn_pixels(float* pixels, int64_t n, float delta) {
  HWY_DYNAMIC_DISPATCH(turn_floats)(pixels, n, delta);
}

}  // namespace stoker::images
#endif  // HWY_ONCE
