#pragma once
#include "ptx/cluster.cuh"

typedef uint64_t u64;
typedef int64_t i64;

struct Args {
  const void *x, *y;
  const i64* index;
  i64 x_stride, y_stride, index_stride, steps;
  float *w[8], *b[8], *wm[8], *bm[8], *wv[8], *bv[8];
  const float* learning_rate;
  i64* iteration;
  i64* calls[8];
  float *loss_total, *loss_count, *accuracy_total, *accuracy_count;
};
