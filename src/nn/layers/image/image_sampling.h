#pragma once
#include <string>

#include "stoker/tensor.h"

// Images are (batch, height, width, channels) here.
namespace stoker::nn {

// The pixels at integer rows y and columns x of shape (batch or 1, height, width); coordinates
// outside are clamped.
Tensor read_pixels(const Tensor& images, const Tensor& y, const Tensor& x);

// The source coordinates of an output pixel (x, y): (a0 x + a1 y + a2, b0 x + b1 y + b2), each of
// shape (batch, 1, 1).
struct Affine {
  Tensor a0, a1, a2, b0, b1, b2;
};
struct Sampling {
  std::string interpolation = "bilinear";  // or nearest
  std::string fill_mode = "constant";      // or reflect, wrap, nearest
  double fill_value = 0;
};
// Interpolated values at columns x and rows y of shape (batch, height, width).
Tensor sample(const Tensor& images, const Tensor& x, const Tensor& y, const Sampling& sampling);
Tensor affine_transform(const Tensor& images, const Affine& affine, const Sampling& sampling);

// 0, 1, 2 … of shape (1, n, 1) for rows and (1, 1, n) for columns, as float32.
Tensor row_numbers(int64_t n);
Tensor column_numbers(int64_t n);

}  // namespace stoker::nn
