#pragma once
#include <cstdint>
#include <type_traits>

#include "stoker/array.h"

namespace stoker::images {

struct ImageSize {
  int64_t height = 0, width = 0;
  int channels = 0;
};

// A rectangle of whole pixels.
struct Box {
  int64_t top = 0, left = 0, height = 0, width = 0;
};

// The same with fractions: a box of the full image in coordinates of a scaled one.
struct RealBox {
  double top = 0, left = 0, height = 0, width = 0;
};
inline RealBox real(const Box& box) {
  return {static_cast<double>(box.top), static_cast<double>(box.left),
          static_cast<double>(box.height), static_cast<double>(box.width)};
}

// A view of pixels, uint8 or float32: rows of pixels of channels.
template <class T>
struct Pixels {
  T* data = nullptr;
  int64_t height = 0, width = 0;
  int channels = 0;
  int64_t stride = 0;  // elements between rows

  T* row(int64_t y) const { return data + y * stride; }
  T* at(int64_t y, int64_t x) const { return row(y) + x * channels; }
  Pixels crop(const Box& box) const {
    return {at(box.top, box.left), box.height, box.width, channels, stride};
  }
  operator Pixels<const T>() const requires(!std::is_const_v<T>) {
    return {data, height, width, channels, stride};
  }
};

// The pixels of an array of shape (height, width, channels).
template <class T>
Pixels<const T> pixels_of(const Array& image) {
  const Shape& shape = image.shape();
  return {image.data<T>().data(), shape[0], shape[1], static_cast<int>(shape[2]),
          shape[1] * shape[2]};
}
template <class T>
Pixels<T> mutable_pixels_of(Array& image) {
  const Shape& shape = image.shape();
  return {image.mutable_data<T>().data(), shape[0], shape[1], static_cast<int>(shape[2]),
          shape[1] * shape[2]};
}

}  // namespace stoker::images
