#pragma once
#include "rnn/persistent.cuh"

constexpr int STATE_BYTES = K_WARPS * GROUPS * 4 * PACK_BYTES;
// A step's operands, prefetched one step ahead; converted when they are used.
struct Ahead {
  T x[4];
  uint8_t runs;
};
DEVICE void fetch(Ahead& ahead, const Arguments& a, const Cell& at, int t) {
  const int64_t row = (t < a.time ? t : a.time - 1) * a.batch + at.row;
#pragma unroll
  for (int g = 0; g < G; ++g) ahead.x[g] = a.x[row * LINE + g * UNITS + at.unit];
  ahead.runs = MASKED ? a.mask[row] : 1;
}
DEVICE void write(const Arguments& a, const Cell& at, int t, float h, float c,
                  const float (&kept)[4]) {
  const int64_t row = t * a.batch + at.row;
  a.sequence[row * UNITS + at.unit] = store<T>(h);
  if (LSTM) a.carries[row * UNITS + at.unit] = store<T>(c);
  if (G > 1)
#pragma unroll
    for (int k = 0; k < 4; ++k) a.gates[(row * 4 + k) * UNITS + at.unit] = store<T>(kept[k]);
  if (t + 1 < a.time) return;
  a.last_h[at.state()] = store<T>(h);
  if (LSTM) a.last_c[at.state()] = store<T>(c);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) rnn_persistent(Arguments a) {
  begin_kernel();
  extern __shared__ uint4 memory[];
  char* const state = (char*)memory;
  char* const news = state + 2 * STATE_BYTES;
  float* const partial = (float*)(news + 2 * MESSAGE);
  uint64_t* const arrived = (uint64_t*)(partial + K_WARPS * ROWS * STRIDE);
  const int rank = own_rank(), warp = threadIdx.x / 32, k_part = warp % K_WARPS,
            first_tile = warp / K_WARPS * TILES;
  const int64_t first_row = blockIdx.x / CLUSTER * int64_t(ROWS);

  Weights weights;
  keep(weights, first_tile, k_part * GROUPS, [&](int m, int k) {
    const int unit = rank * OWN + m % OWN;
    return m < G * OWN && unit < UNITS && k < UNITS
               ? a.kernel[int64_t(k) * LINE + m / OWN * UNITS + unit]
               : T{};
  });
  for (int i = threadIdx.x; i < (2 * STATE_BYTES + 2 * MESSAGE) / 16; i += THREADS)
    memory[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  for (int i = threadIdx.x; i < ROWS * UNITS; i += THREADS)
    if (first_row + i / UNITS < a.batch)
      put(state + place_of(i % UNITS, i / UNITS),
          load(a.h[(first_row + i / UNITS) * UNITS + i % UNITS]));
  float h[PER_THREAD], c[PER_THREAD], bias[PER_THREAD][4];
  Ahead ahead[PER_THREAD];
#pragma unroll
  for (int i = 0; i < PER_THREAD; ++i) {
    const Cell at = cell_of(i, rank, first_row, a.batch);
    h[i] = load(a.h[at.state()]);
    c[i] = LSTM ? load(a.c[at.state()]) : 0.f;
#pragma unroll
    for (int g = 0; g < G; ++g) bias[i][g] = GRU ? load(a.bias[g * UNITS + at.unit]) : 0.f;
    fetch(ahead[i], a, at, 0);
  }
  begin_exchange(arrived);

  float kept[PER_THREAD][4];
  const auto write_all = [&](int t) {
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i)
      if (const Cell at = cell_of(i, rank, first_row, a.batch); at.there)
        write(a, at, t, h[i], c[i], kept[i]);
  };
  for (int t = 0; t < a.time; ++t) {
    if (t > 0) wait_for(arrived, t);
    Sums sums = {};
    multiply(sums, weights, state + t % 2 * STATE_BYTES, k_part * GROUPS);
    if (t > 0) write_all(t - 1);  // not while messages are on their way: they share the SM's port
    each_sum(sums, first_tile, [&](int m, int row, float sum) {
      if (WARPS / K_WARPS * TILES * 16 == G * OWN || m < G * OWN)
        partial[(k_part * ROWS + row) * STRIDE + m] = sum;
    });
    __syncthreads();
    char* const here = news + t % 2 * MESSAGE;
    char* const there = state + (t + 1) % 2 * STATE_BYTES + rank * MESSAGE;
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i) {
      const Cell at = cell_of(i, rank, first_row, a.batch);
      float x[4], inner[4];
#pragma unroll
      for (int g = 0; g < G; ++g) {
        x[g] = load(ahead[i].x[g]);
        inner[g] = bias[i][g];
      }
      const bool runs = at.there && ahead[i].runs;
      fetch(ahead[i], a, at, t + 1);
      if (!at.there) continue;
#pragma unroll
      for (int part = 0; part < K_WARPS; ++part)
#pragma unroll
        for (int g = 0; g < G; ++g)
          inner[g] += partial[(part * ROWS + at.n) * STRIDE + g * OWN + at.j];
      float next_h = h[i], next_c = c[i];
      step_cell(x, inner, next_h, next_c, kept[i]);
      if (runs) h[i] = next_h, c[i] = next_c;
      const int place = place_of(at.unit, at.n) - rank * MESSAGE;
      put(there + place, h[i]);
      if (CLUSTER > 1) put(here + place, h[i]);
    }
    send_to_others(rank, [&](int to) {
      if (t + 1 < a.time) send(here, there, MESSAGE, arrived + (t + 1) % 2, to);
    });
  }
  write_all(a.time - 1);
  end_exchange();
}
