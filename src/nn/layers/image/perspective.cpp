#include "nn/layers/image/perspective.h"

#include "stoker/ops/elementwise.h"

namespace stoker::nn {
namespace {

using Matrix = std::array<Tensor, 9>;  // row-major, of a projective transformation

// From the unit square to the corners (Heckbert's form).
Matrix from_unit_square(const Corners& c) {
  const auto& [x, y] = c;
  const Tensor dx1 = x[1] - x[3], dx2 = x[2] - x[3], dy1 = y[1] - y[3], dy2 = y[2] - y[3];
  const Tensor sum_x = x[0] - x[1] + x[3] - x[2], sum_y = y[0] - y[1] + y[3] - y[2];
  const Tensor area = dx1 * dy2 - dx2 * dy1;
  const Tensor g = (sum_x * dy2 - dx2 * sum_y) / area, h = (dx1 * sum_y - sum_x * dy1) / area;
  return {x[1] - x[0] + g * x[1],
          x[2] - x[0] + h * x[2],
          x[0],
          y[1] - y[0] + g * y[1],
          y[2] - y[0] + h * y[2],
          y[0],
          g,
          h,
          area / area};
}

// Up to a factor, which is irrelevant for a projective transformation.
Matrix inverse(const Matrix& m) {
  const auto minor = [&](size_t a, size_t b, size_t c, size_t d) {
    return m[a] * m[b] - m[c] * m[d];
  };
  return {minor(4, 8, 5, 7), minor(2, 7, 1, 8), minor(1, 5, 2, 4),
          minor(5, 6, 3, 8), minor(0, 8, 2, 6), minor(2, 3, 0, 5),
          minor(3, 7, 4, 6), minor(1, 6, 0, 7), minor(0, 4, 1, 3)};
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result;
  for (size_t r = 0; r < 3; ++r)
    for (size_t c = 0; c < 3; ++c)
      result[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
  return result;
}

}  // namespace

Tensor perspective_transform(const Tensor& images, const Corners& start, const Corners& end,
                             const Sampling& sampling) {
  const Matrix m = product(from_unit_square(start), inverse(from_unit_square(end)));
  const Tensor x = column_numbers(images.shape()[2]), y = row_numbers(images.shape()[1]);
  const auto line = [&](size_t r) { return m[3 * r] * x + m[3 * r + 1] * y + m[3 * r + 2]; };
  const Tensor depth = line(2);
  return sample(images, line(0) / depth, line(1) / depth, sampling);
}

}  // namespace stoker::nn
