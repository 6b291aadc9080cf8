// Strips of images in shared memory, for convolutions with few channels.
#pragma once
#include "gemm/tf32.cuh"

constexpr int TAPS = KH * KW * C;
constexpr int PLACES = PH * PW;
constexpr int COLUMNS = OW / PW, RESULT_ROWS = OH / PH;
constexpr int STRIPS = (RESULT_ROWS + ROWS - 1) / ROWS;
constexpr int PITCH = ((COLUMNS * PW - 1) * SW + KW) * C;
constexpr int STRIP_ROWS = (ROWS * PH - 1) * SH + (KH - 1) * DH + 1;
// A strip without padding on any side is contiguous and can be read 16 bytes at a time.
constexpr int LAST_ROW = (RESULT_ROWS * PH - 1) * SH + (KH - 1) * DH;
constexpr bool IN_ONE_PIECE =
    PT == 0 && PL == 0 && LAST_ROW < H && PITCH == W * C && W * C * sizeof(T) % 16 == 0;

struct Sixteen {
  T at[16 / sizeof(T)];
};

__device__ __forceinline__ void stage_strip(const T* x, float* strip, int n, int first_row) {
  const int top = first_row * PH * SH - PT;
  if (IN_ONE_PIECE) {
    constexpr int N = 16 / sizeof(T);
    const int rows = H - top < STRIP_ROWS ? H - top : STRIP_ROWS;
    const T* from = x + (int64_t(n) * H + top) * (W * C);
    for (int i = threadIdx.x; i < rows * PITCH / N; i += THREADS) {
      const Sixteen pack = read_pack<Sixteen>(from + i * N);
#pragma unroll
      for (int j = 0; j < N; ++j) strip[i * N + j] = load_tf32(pack.at[j]);
    }
  } else {
    for (int i = threadIdx.x; i < STRIP_ROWS * PITCH; i += THREADS) {
      const int h = top + i / PITCH, e = i % PITCH - PL * C;
      const bool inside = h >= 0 && h < H && e >= 0 && e < W * C;
      strip[i] = inside ? load_tf32(x[(int64_t(n) * H + h) * (W * C) + e]) : 0.f;
    }
  }
}

// The offset of a result's window in the strip, for one element of its pooling window.
__device__ __forceinline__ int strip_offset(unsigned position, int place) {
  const int r = position / COLUMNS * PH + place / PW, c = position % COLUMNS * PW + place % PW;
  return r * SH * PITCH + c * SW * C;
}
__device__ __forceinline__ int tap_offset(int tap) {
  return tap < TAPS ? tap / (KW * C) * DH * PITCH + tap % (KW * C) : 0;
}
