#pragma once
#include "io/images/image.h"

namespace stoker::images {

// Colour adjustments and flips, in place, as defined by tf.image: float32 images have values from 0
// to 1; uint8 images are converted to that and rounded as by tf.image.convert_image_dtype.
template <class T>
void adjust_brightness(const Pixels<T>& image, float delta);  // 1 is the whole value range
template <class T>
void adjust_contrast(const Pixels<T>& image, float factor);  // around each channel's mean
template <class T>
void adjust_saturation(const Pixels<T>& image, float factor);  // RGB
template <class T>
void adjust_hue(const Pixels<T>& image, float delta);  // RGB; 1 is a full rotation

template <class T>
void flip_left_right(const Pixels<T>& image);
template <class T>
void flip_up_down(const Pixels<T>& image);

#define STOKER_FOR(T)                                              \
  extern template void adjust_brightness(const Pixels<T>&, float); \
  extern template void adjust_contrast(const Pixels<T>&, float);   \
  extern template void adjust_saturation(const Pixels<T>&, float); \
  extern template void adjust_hue(const Pixels<T>&, float);        \
  extern template void flip_left_right(const Pixels<T>&);          \
  extern template void flip_up_down(const Pixels<T>&);
STOKER_FOR(uint8_t)
STOKER_FOR(float)
#undef STOKER_FOR

}  // namespace stoker::images
