#pragma once
#include "prelude.cuh"

typedef Compute<T>::type A;

struct Conv {
  int batch, height, width, channels;
  int out_height, out_width, filters, groups;
  int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
  int pool_h, pool_w;
};
