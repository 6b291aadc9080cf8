// Plain weight gradients of any shape, in two stages so that the order of the sum is fixed: chunks
// of pixels, then the chunks.
#pragma once
#include "conv/conv2d_problem.cuh"

typedef GRADIENT_TYPE D;  // of the gradient that is read

// The factor of weight row r at an output pixel. After the weights, a row of ones for the bias.
__device__ A factor(const Conv& c, const T* x, int rows, int r, int64_t n, int oh, int ow, int f) {
  if (r == rows) return 1;
  const int depth = c.channels / c.groups, tap = r / depth;
  const int h = oh * c.stride_h - c.pad_top + tap / c.kernel_w * c.dilation_h;
  const int w = ow * c.stride_w - c.pad_left + tap % c.kernel_w * c.dilation_w;
  if (h < 0 || h >= c.height || w < 0 || w >= c.width) return 0;
  const int channel = f / (c.filters / c.groups) * depth + r % depth;
  return load(x[((n * c.height + h) * c.width + w) * c.channels + channel]);
}

// A block: 32 filters of one weight row, 8 pixels at a time.
extern "C" __global__ void conv2d_kernel_grad(Conv c, const T* x, const D* dy, const uint8_t* index,
                                              A* partial, int64_t windows, int64_t per_chunk) {
  begin_kernel();
  __shared__ A sums[256];
  const int blocks = (c.filters + 31) / 32,
            rows = c.kernel_h * c.kernel_w * (c.channels / c.groups);
  const int r = blockIdx.x / blocks, f = blockIdx.x % blocks * 32 + threadIdx.x % 32;
  const int height = c.out_height / c.pool_h, width = c.out_width / c.pool_w;
  const int64_t first = blockIdx.y * per_chunk;
  const int64_t end = first + per_chunk < windows ? first + per_chunk : windows;
  A sum = 0;
  if (f < c.filters)
    for (int64_t i = first + threadIdx.x / 32; i < end; i += 8) {
      const int place = POOLED ? index[i * c.filters + f] : 0;
      if (place >= c.pool_h * c.pool_w) continue;  // relu cut it off
      const int oh = int(i / width % height) * c.pool_h + place / c.pool_w;
      const int ow = int(i % width) * c.pool_w + place % c.pool_w;
      sum += factor(c, x, rows, r, i / width / height, oh, ow, f) * load(dy[i * c.filters + f]);
    }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x >= 32 || f >= c.filters) return;
  for (int s = 1; s < 8; ++s) sum += sums[s * 32 + threadIdx.x];
  partial[(int64_t(blockIdx.y) * (gridDim.x / blocks) + r) * c.filters + f] = sum;
}

extern "C" __global__ void conv2d_kernel_grad_sum(const A* partial, T* dk, T* dbias,
                                                  int64_t weights, int64_t all, int chunks) {
  begin_kernel();
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= all) return;
  A sum = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) sum += partial[chunk * all + i];
  if (i < weights)
    dk[i] = store<T>(sum);
  else
    dbias[i - weights] = store<T>(sum);
}
