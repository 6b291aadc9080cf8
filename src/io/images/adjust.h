#pragma once
#include "io/images/image.h"

namespace stoker::images {

// Colours and mirrors, in place, as tf.image defines them: float32 images have values from 0 to 1,
// uint8 ones are taken for that and rounded as tf.image.convert_image_dtype does.
template <class T>
void adjust_brightness(const Pixels<T>& image, float delta);  // added, 1 is the whole range
template <class T>
void adjust_contrast(const Pixels<T>& image, float factor);  // around each channel's mean
template <class T>
void adjust_saturation(const Pixels<T>& image, float factor);  // RGB
template <class T>
void adjust_hue(const Pixels<T>& image, float delta);  // RGB; 1 is once around the circle

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
