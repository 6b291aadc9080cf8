#pragma once
#include "rnn/steps.cuh"

constexpr int COLS = G * UNITS, SHARES = 256 / COLS;
__device__ __forceinline__ void run_cell(const Arguments& a, const Step& s, int64_t row,
                                         int64_t unit, Acc (&inner)[4]) {
  const int64_t u = s.units, at = s.t * a.batch + row, here = at * u + unit, state = row * u + unit;
  const bool first = s.t == 0, last = s.t + 1 == a.time, runs = !MASKED || a.mask[at] != 0;
  const Acc h = first ? Acc(load(a.h[state])) : s.before[state];
  const Acc c = !LSTM ? Acc(0) : first ? Acc(load(a.c[state])) : s.c[state];
  Acc x[4] = {}, kept[4] = {}, next_h = h, next_c = c;
  for (int g = 0; g < G; ++g) {
    x[g] = load(a.x[(at * G + g) * u + unit]);
    if (GRU) inner[g] += load(a.bias[g * u + unit]);
  }
  step_cell(x, inner, next_h, next_c, kept);
  if (!runs) next_h = h, next_c = c;
  s.after[state] = next_h;
  a.sequence[here] = store<T>(next_h);
  if (last) a.last_h[state] = store<T>(next_h);
  if (LSTM) {
    s.c[state] = next_c;
    a.carries[here] = store<T>(next_c);
    if (last) a.last_c[state] = store<T>(next_c);
  }
  if (G > 1)
    for (int k = 0; k < 4; ++k) a.gates[(at * 4 + k) * u + unit] = store<T>(kept[k]);
}

extern "C" __global__ void __launch_bounds__(256) rnn_step(Arguments a, Step s) {
  begin_kernel();
  __shared__ Acc h[ROWS][CHUNK];
  __shared__ Acc partial[SHARES][ROWS][COLS];
  const int64_t u = s.units, first_unit = blockIdx.x * int64_t(UNITS),
                first_row = blockIdx.y * int64_t(ROWS);
  const int column = threadIdx.x % COLS, share = threadIdx.x / COLS;
  const int64_t unit = first_unit + column % UNITS;
  const T* weights = a.kernel + column / UNITS * u + unit;
  Acc sums[ROWS] = {};
  for (int64_t base = 0; base < u; base += CHUNK) {
    const int n = u - base < CHUNK ? int(u - base) : CHUNK;
    if (s.t == 0)
      stage(h, a.h, u, base, n, first_row, a.batch);
    else
      stage(h, s.before, u, base, n, first_row, a.batch);
    if (share >= SHARES || unit >= u) continue;
#pragma unroll 4
    for (int k = share * 4; k < n; k += SHARES * 4) {
      Acc w[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        w[i] = k + i < n ? Acc(load(weights[(base + k + i) * G * u])) : Acc(0);
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        const Four four = *(const Four*)&h[r][k];
#pragma unroll
        for (int i = 0; i < 4; ++i) sums[r] += four.at[i] * w[i];
      }
    }
  }
  if (share < SHARES)
    for (int r = 0; r < ROWS; ++r) partial[share][r][column] = sums[r];
  __syncthreads();
  const int row = threadIdx.x / UNITS, j = threadIdx.x % UNITS;
  if (row >= ROWS || first_row + row >= a.batch || first_unit + j >= u) return;
  Acc inner[4] = {};
  for (int g = 0; g < G; ++g)
    for (int i = 0; i < SHARES; ++i) inner[g] += partial[i][row][g * UNITS + j];
  run_cell(a, s, first_row + row, first_unit + j, inner);
}
