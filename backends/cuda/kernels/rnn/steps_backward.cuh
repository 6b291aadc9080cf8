#pragma once
#include "rnn/steps.cuh"

constexpr int LANES = 16;
__device__ __forceinline__ void run_cell(const Arguments& a, const Step& s, int64_t row,
                                         int64_t unit, Acc of_h) {
  const int64_t u = s.units, state = row * u + unit, last = a.time - 1;
  of_h += s.t < last ? s.h[state] : OF_H ? Acc(load(a.of_last_h[state])) : Acc(0);
  Acc of_c = 0;
  if (LSTM) of_c = s.t < last ? s.c[state] : OF_C ? Acc(load(a.of_last_c[state])) : Acc(0);
  if (s.t < 0) {
    a.of_h[state] = store<T>(of_h);
    if (LSTM) a.of_c[state] = store<T>(of_c);
    return;
  }
  const int64_t at = s.t * a.batch + row, here = at * u + unit;
  if (OF_SEQUENCE) of_h += load(a.of_sequence[here]);
  Acc of_x[4] = {}, of_inner[4] = {};
  if (!MASKED || a.mask[at] != 0) {
    Acc kept[4] = {}, before = 0;
    if (G > 1) {
      for (int k = 0; k < 4; ++k) kept[k] = load(a.gates[(at * 4 + k) * u + unit]);
      before = load(s.t == 0 ? (LSTM ? a.c : a.h)[state]
                             : (LSTM ? a.carries : a.sequence)[here - a.batch * u]);
    }
    step_back(kept, before, GRU ? Acc(0) : Acc(load((LSTM ? a.carries : a.sequence)[here])), of_h,
              of_c, of_x, of_inner);
  }
  for (int g = 0; g < G; ++g) {
    a.of_x[(at * G + g) * u + unit] = store<T>(of_x[g]);
    if (GRU) a.of_inner[(at * G + g) * u + unit] = store<T>(of_inner[g]);
    s.after[(row * G + g) * u + unit] = of_inner[g];
  }
  s.h[state] = of_h;
  if (LSTM) s.c[state] = of_c;
}

extern "C" __global__ void __launch_bounds__(256) rnn_step(Arguments a, Step s) {
  begin_kernel();
  __shared__ Acc of_gates[ROWS][CHUNK];
  __shared__ Acc of_h[ROWS][UNITS];
  const int64_t u = s.units, width = G * u;
  const int64_t first_unit = blockIdx.x * int64_t(UNITS), first_row = blockIdx.y * int64_t(ROWS);
  const int lane = threadIdx.x % LANES, unit = threadIdx.x / LANES;
  const T* weights = a.kernel + (first_unit + unit) * width;
  Acc sums[ROWS] = {};
  if (s.t + 1 < a.time) {
    for (int64_t base = 0; base < width; base += CHUNK) {
      const int n = width - base < CHUNK ? int(width - base) : CHUNK;
      stage(of_gates, s.before, width, base, n, first_row, a.batch);
      if (first_unit + unit >= u) continue;
#pragma unroll 4
      for (int k = lane * 4; k < n; k += LANES * 4) {
        Acc w[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) w[i] = k + i < n ? Acc(load(weights[base + k + i])) : Acc(0);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
          const Four four = *(const Four*)&of_gates[r][k];
#pragma unroll
          for (int i = 0; i < 4; ++i) sums[r] += four.at[i] * w[i];
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    for (int d = LANES / 2; d > 0; d /= 2) sums[r] += __shfl_xor_sync(0xffffffffu, sums[r], d);
    if (lane == 0) of_h[r][unit] = sums[r];
  }
  __syncthreads();
  const int row = threadIdx.x / UNITS, j = threadIdx.x % UNITS;
  if (row >= ROWS || first_row + row >= a.batch || first_unit + j >= u) return;
  run_cell(a, s, first_row + row, first_unit + j, of_h[row][j]);
}
