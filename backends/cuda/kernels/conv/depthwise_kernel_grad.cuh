#pragma once
#include "conv/depthwise.cuh"

// The contribution of a tile of dy, with the pixels of x under its windows, to the gradient.
DEVICE void add_tile(const Depthwise& d, const T* x, const T* dy, int top, int left,
                     float (&sums)[PLACES][lanes]) {
  constexpr int rows = (TILE_H - 1) * STRIDE + KH, columns = (TILE_W - 1) * STRIDE + KW;
  float gradients[TILE_H][TILE_W][lanes];
#pragma unroll
  for (int a = 0; a < TILE_H; ++a)
    read_row(dy, d.out_height, d.out_width, d.channels, top + a, left, gradients[a]);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    float row[columns][lanes];
    read_row(x, d.height, d.width, d.channels, top * STRIDE - d.pad_top + r,
             left * STRIDE - d.pad_left, row);
#pragma unroll
    for (int a = 0; a < TILE_H; ++a) {
      const int kh = r - a * STRIDE;
      if (kh < 0 || kh >= KH) continue;
#pragma unroll
      for (int b = 0; b < TILE_W; ++b)
#pragma unroll
        for (int kw = 0; kw < KW; ++kw)
#pragma unroll
          for (int j = 0; j < lanes; ++j)
            sums[kh * KW + kw][j] += row[b * STRIDE + kw][j] * gradients[a][b][j];
    }
  }
}

// Reduces the sums of a block's threads in a fixed order: within a warp, then over the warps.
// `first`: the block's first channel.
DEVICE void write_sums(const float (&sums)[PLACES][lanes], float* partial, int first,
                       int channels) {
  constexpr int warps = TILES * CHANNEL_THREADS / 32, size = CHANNEL_THREADS * lanes;
  __shared__ float parts[warps][PLACES * size];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int p = 0; p < PLACES; ++p)
#pragma unroll
    for (int j = 0; j < lanes; ++j) {
      float sum = sums[p][j];
      for (int other = CHANNEL_THREADS; other < 32; other *= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, other);
      if (lane < CHANNEL_THREADS) parts[warp][p * size + lane * lanes + j] = sum;
    }
  __syncthreads();
  for (int i = threadIdx.x; i < PLACES * size; i += blockDim.x) {
    const int channel = first + i % size;
    if (channel >= channels) continue;
    float sum = 0;
    for (int w = 0; w < warps; ++w) sum += parts[w][i];
    partial[int64_t(i / size) * channels + channel] = sum;
  }
}

// The blocks' sums are contiguous; sum_parts adds them up.
extern "C" __global__ void __launch_bounds__(256, PLACES > 9 ? 1 : 2)
    depthwise_kernel_grad(Depthwise d, const T* x, const T* dy, float* partial) {
  begin_kernel();
  const int c = first_channel(d), channel_block = blockIdx.x % d.channel_blocks;
  const unsigned int part = blockIdx.x / d.channel_blocks, parts = gridDim.x / d.channel_blocks;
  float sums[PLACES][lanes] = {};
  if (c < d.channels)
    for (unsigned int i = part * TILES + threadIdx.x / CHANNEL_THREADS; i < d.tiles;
         i += parts * TILES) {
      const Tile tile = tile_number(d, i);
      add_tile(d, x + tile.image * d.height * d.width * d.channels + c,
               dy + tile.image * d.out_height * d.out_width * d.channels + c, tile.row * TILE_H,
               tile.column * TILE_W, sums);
    }
  write_sums(sums, partial + int64_t(part) * PLACES * d.channels,
             channel_block * CHANNEL_THREADS * lanes, d.channels);
}
