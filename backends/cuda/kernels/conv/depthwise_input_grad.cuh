#pragma once
#include "conv/depthwise.cuh"

// Tiles of the input start where a window can start, so that the compiler knows which element of
// which window covers a pixel of the tile.
extern "C" __global__ void __launch_bounds__(256)
    depthwise_input_grad(Depthwise d, const T* dy, const T* kernel, T* dx) {
  begin_kernel();
  static_assert(TILE_H % STRIDE == 0 && TILE_W % STRIDE == 0, "tiles of whole strides");
  // Windows that cover the tile, counted from the one that starts with it.
  constexpr int first_row = -((KH - 1) / STRIDE), first_column = -((KW - 1) / STRIDE);
  constexpr int rows = (TILE_H - 1) / STRIDE - first_row + 1,
                columns = (TILE_W - 1) / STRIDE - first_column + 1;
  const int c = first_channel(d);
  const unsigned int i = blockIdx.x / d.channel_blocks * TILES + threadIdx.x / CHANNEL_THREADS;
  if (c >= d.channels || i >= d.tiles) return;
  const Tile tile = tile_number(d, i);
  const int top = tile.row * TILE_H - d.pad_top % STRIDE,
            left = tile.column * TILE_W - d.pad_left % STRIDE;
  const T* const image = dy + tile.image * d.out_height * d.out_width * d.channels + c;
  float weights[PLACES][lanes], sums[TILE_H][TILE_W][lanes] = {};
  read_weights(kernel + c, d.channels, weights);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    float row[columns][lanes];
    read_row(image, d.out_height, d.out_width, d.channels,
             (top + d.pad_top) / STRIDE + first_row + r,
             (left + d.pad_left) / STRIDE + first_column, row);
#pragma unroll
    for (int a = 0; a < TILE_H; ++a) {
      const int kh = a - (first_row + r) * STRIDE;
      if (kh < 0 || kh >= KH) continue;
#pragma unroll
      for (int b = 0; b < TILE_W; ++b)
#pragma unroll
        for (int q = 0; q < columns; ++q) {
          const int kw = b - (first_column + q) * STRIDE;
          if (kw < 0 || kw >= KW) continue;
#pragma unroll
          for (int j = 0; j < lanes; ++j) sums[a][b][j] += row[q][j] * weights[kh * KW + kw][j];
        }
    }
  }
  write_tile(dx + tile.image * d.height * d.width * d.channels + c, d.height, d.width, d.channels,
             top, left, sums);
}
