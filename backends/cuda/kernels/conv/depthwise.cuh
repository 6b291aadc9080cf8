// Depthwise convolutions: every channel has its own window. A thread computes `lanes` neighbouring
// channels of a tile of TILE_H x TILE_W pixels, so that pixels under several windows are read once;
// a block has 8 such threads side by side for each of 32 tiles.
#pragma once
#include "common/vectors.cuh"

constexpr int PLACES = KH * KW, CHANNEL_THREADS = 8, TILES = 32;

// Sizes are arguments, not constants: a network has many of them, and one compiled source serves
// all.
struct Depthwise {
  int height, width, channels, out_height, out_width, pad_top, pad_left;
  int channel_blocks;           // of 8 * lanes channels
  int tile_rows, tile_columns;  // tiles of an image
  unsigned int tiles;           // of all images
};

struct Tile {
  int64_t image;
  int row, column;  // counted in tiles
};
DEVICE Tile tile_number(const Depthwise& d, unsigned int i) {
  const unsigned int line = i / d.tile_columns;
  return {line / d.tile_rows, int(line % d.tile_rows), int(i % d.tile_columns)};
}

DEVICE int first_channel(const Depthwise& d) {
  return int(blockIdx.x % d.channel_blocks * CHANNEL_THREADS + threadIdx.x % CHANNEL_THREADS) *
         lanes;
}

// Neighbouring pixels of a row; zeros outside the image.
template <int count>
DEVICE void read_row(const T* image, int height, int width, int channels, int h, int w,
                     float (&row)[count][lanes]) {
  const T* const from = image + (int64_t(h) * width + w) * channels;
  const bool inside = h >= 0 && h < height;
#pragma unroll
  for (int i = 0; i < count; ++i) {
    Vec<T, lanes> pixel;
    const bool read = inside && w + i >= 0 && w + i < width;
    if (read) pixel = load_vector<lanes>(from + int64_t(i) * channels);
#pragma unroll
    for (int j = 0; j < lanes; ++j) row[i][j] = read ? load(pixel.at[j]) : 0.f;
  }
}

DEVICE void read_weights(const T* kernel, int channels, float (&weights)[PLACES][lanes]) {
#pragma unroll
  for (int p = 0; p < PLACES; ++p) {
    const Vec<T, lanes> place = load_vector<lanes>(kernel + p * channels);
#pragma unroll
    for (int j = 0; j < lanes; ++j) weights[p][j] = load(place.at[j]);
  }
}

// The part of the tile inside the image.
DEVICE void write_tile(T* image, int height, int width, int channels, int top, int left,
                       const float (&sums)[TILE_H][TILE_W][lanes]) {
#pragma unroll
  for (int a = 0; a < TILE_H; ++a)
#pragma unroll
    for (int b = 0; b < TILE_W; ++b) {
      const int h = top + a, w = left + b;
      if (h < 0 || h >= height || w < 0 || w >= width) continue;
      Vec<T, lanes> pixel;
#pragma unroll
      for (int j = 0; j < lanes; ++j) pixel.at[j] = store<T>(sums[a][b][j]);
      store_vector(image + (int64_t(h) * width + w) * channels, pixel);
    }
}
