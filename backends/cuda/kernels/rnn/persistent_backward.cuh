#pragma once
#include "rnn/persistent.cuh"

constexpr int OPERAND_BYTES = GROUPS * 4 * PACK_BYTES, SHARE = MESSAGE / 4;
// A step's operands, prefetched one step ahead; converted when they are used.
struct Ahead {
  T kept[4], before, after, of_sequence;
  uint8_t runs;
};
// c or h (gru, simple) of a unit after step t.
DEVICE T state_behind(const Arguments& a, const Cell& at, int t) {
  const T* first = LSTM ? a.c : a.h;
  const T* later = LSTM ? a.carries : a.sequence;
  return *(t < 0 ? first + at.state() : later + t * a.batch * UNITS + at.state());
}
DEVICE void fetch(Ahead& ahead, const Arguments& a, const Cell& at, int t) {
  t = t < 0 ? 0 : t;
  const int64_t row = t * a.batch + at.row;
  if (G > 1)
#pragma unroll
    for (int k = 0; k < 4; ++k) ahead.kept[k] = a.gates[(row * 4 + k) * UNITS + at.unit];
  ahead.after = ahead.before;
  ahead.before = state_behind(a, at, t - 1);
  if (OF_SEQUENCE) ahead.of_sequence = a.of_sequence[row * UNITS + at.unit];
  ahead.runs = MASKED ? a.mask[row] : 1;
}
DEVICE void write(const Arguments& a, const Cell& at, int t, const float (&of_x)[4],
                  const float (&of_inner)[4]) {
  const int64_t row = (t * a.batch + at.row) * LINE + at.unit;
#pragma unroll
  for (int g = 0; g < G; ++g) {
    a.of_x[row + g * UNITS] = store<T>(of_x[g]);
    if (GRU) a.of_inner[row + g * UNITS] = store<T>(of_inner[g]);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) rnn_persistent(Arguments a) {
  begin_kernel();
  extern __shared__ uint4 memory[];
  char* const operand = (char*)memory;
  float* const in = (float*)(operand + OPERAND_BYTES);
  float* const out = in + 2 * CLUSTER * SHARE;
  uint64_t* const arrived = (uint64_t*)(out + 2 * CLUSTER * SHARE);
  const int rank = own_rank(), first_tile = threadIdx.x / 32 * TILES;
  const int64_t first_row = blockIdx.x / CLUSTER * int64_t(ROWS);

  Weights weights;
  keep(weights, first_tile, 0, [&](int m, int k) {
    const int unit = rank * OWN + k % OWN;
    return m < UNITS && unit < UNITS && k < G * OWN
               ? a.kernel[int64_t(m) * LINE + k / OWN * UNITS + unit]
               : T{};
  });
  for (int i = threadIdx.x; i < OPERAND_BYTES / 16; i += THREADS)
    memory[i] = make_uint4(0, 0, 0, 0);
  float of_h[PER_THREAD], of_c[PER_THREAD];
  Ahead ahead[PER_THREAD];
#pragma unroll
  for (int i = 0; i < PER_THREAD; ++i) {
    const Cell at = cell_of(i, rank, first_row, a.batch);
    of_h[i] = OF_H ? load(a.of_last_h[at.state()]) : 0.f;
    of_c[i] = OF_C ? load(a.of_last_c[at.state()]) : 0.f;
    ahead[i].before = state_behind(a, at, a.time - 1);
    fetch(ahead[i], a, at, a.time - 1);
  }
  begin_exchange(arrived);

  for (int step = 0; step <= a.time; ++step) {
    const int t = a.time - 1 - step;
    if (step > 0) wait_for(arrived, step);
    float of_x[PER_THREAD][4], of_inner[PER_THREAD][4];
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i) {
      const Cell at = cell_of(i, rank, first_row, a.batch);
      if (step > 0 && at.there)
#pragma unroll
        for (int r = 0; r < CLUSTER; ++r)
          of_h[i] += in[(step % 2 * CLUSTER + r) * SHARE + at.n * STRIDE + at.j];
      if (t < 0) continue;
      const float before = load(ahead[i].before), after = load(ahead[i].after);
      float kept[4];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        kept[k] = G > 1 ? load(ahead[i].kept[k]) : 0.f, of_x[i][k] = of_inner[i][k] = 0;
      if (OF_SEQUENCE) of_h[i] += load(ahead[i].of_sequence);
      const bool runs = ahead[i].runs;
      fetch(ahead[i], a, at, t - 1);
      if (!at.there) continue;
      if (runs) step_back(kept, before, after, of_h[i], of_c[i], of_x[i], of_inner[i]);
#pragma unroll
      for (int g = 0; g < G; ++g) put(operand + place_of(g * OWN + at.j, at.n), of_inner[i][g]);
    }
    if (t < 0) break;
    __syncthreads();
    Sums sums = {};
    multiply(sums, weights, operand, 0);
#pragma unroll
    for (int i = 0; i < PER_THREAD;
         ++i)  // not while messages are on their way: they share the SM's port
      if (const Cell at = cell_of(i, rank, first_row, a.batch); at.there)
        write(a, at, t, of_x[i], of_inner[i]);
    float* const there = in + ((step + 1) % 2 * CLUSTER + rank) * SHARE;
    float* const shares = out + step % 2 * (CLUSTER * SHARE);
    each_sum(sums, first_tile, [&](int m, int row, float sum) {
      float* const share = CLUSTER == 1 || m / OWN == rank ? there : shares + m / OWN * SHARE;
      if (WARPS * TILES * 16 == UNITS || m < UNITS) share[row * STRIDE + m % OWN] = sum;
    });
    send_to_others(rank, [&](int to) {
      send(shares + to * SHARE, there, MESSAGE, arrived + (step + 1) % 2, to);
    });
  }
#pragma unroll
  for (int i = 0; i < PER_THREAD; ++i) {
    const Cell at = cell_of(i, rank, first_row, a.batch);
    if (!at.there) continue;
    a.of_h[at.state()] = store<T>(of_h[i]);
    if (LSTM) a.of_c[at.state()] = store<T>(of_c[i]);
  }
  end_exchange();
}
