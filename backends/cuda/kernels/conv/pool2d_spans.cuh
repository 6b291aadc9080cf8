#pragma once
#include "conv/conv2d_problem.cuh"

struct Span {
  int first, end;
};
__device__ Span clipped(int first, int end, int length) {
  return Span{first > 0 ? first : 0, end < length ? end : length};
}
// The part of a window inside the image.
__device__ Span inside(int position, int stride, int before, int size, int length) {
  const int first = position * stride - before;
  return clipped(first, first + size, length);
}
// The windows that contain a pixel.
__device__ Span seen_by(int pixel, int stride, int before, int size, int positions) {
  const int late = pixel + before - size + 1;
  return clipped(late <= 0 ? 0 : (late + stride - 1) / stride, (pixel + before) / stride + 1,
                 positions);
}
__device__ int count(const Span& rows, const Span& columns) {
  const int places = (rows.end - rows.first) * (columns.end - columns.first);
  return places > 0 ? places : 1;  // padding does not count
}
