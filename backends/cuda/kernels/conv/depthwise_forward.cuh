#pragma once
#include "conv/depthwise.cuh"

extern "C" __global__ void __launch_bounds__(256)
    depthwise_forward(Depthwise d, const T* x, const T* kernel, T* y) {
  begin_kernel();
  constexpr int rows = (TILE_H - 1) * STRIDE + KH, columns = (TILE_W - 1) * STRIDE + KW;
  const int c = first_channel(d);
  const unsigned int i = blockIdx.x / d.channel_blocks * TILES + threadIdx.x / CHANNEL_THREADS;
  if (c >= d.channels || i >= d.tiles) return;
  const Tile tile = tile_number(d, i);
  const int top = tile.row * TILE_H, left = tile.column * TILE_W;
  const T* const image = x + tile.image * d.height * d.width * d.channels + c;
  float weights[PLACES][lanes], sums[TILE_H][TILE_W][lanes] = {};
  read_weights(kernel + c, d.channels, weights);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    float row[columns][lanes];
    read_row(image, d.height, d.width, d.channels, top * STRIDE - d.pad_top + r,
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
            sums[a][b][j] += row[b * STRIDE + kw][j] * weights[kh * KW + kw][j];
    }
  }
  write_tile(y + tile.image * d.out_height * d.out_width * d.channels + c, d.out_height,
             d.out_width, d.channels, top, left, sums);
}
