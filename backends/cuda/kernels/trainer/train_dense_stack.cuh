// Trains a small stack of Dense layers for many steps in one launch: loads all states, runs both
// kinds of warps, and writes all states back.
#pragma once
#include "trainer/compute.cuh"
#include "trainer/helpers.cuh"

constexpr int THREADS = COMPUTE + HELPERS;
template <class F>
DEVICE void each_row(int rank, int l, F visit) {
  for (int e = thread(); e < OWN_ROWS[l] * WIDTH[l]; e += THREADS) {
    const int row = rank * OWN_ROWS[l] + e / WIDTH[l];
    if (row < WIDTH[l - 1]) visit((i64)row * WIDTH[l] + e % WIDTH[l], e);
  }
}
template <int l>
DEVICE void load_layer(char* shared, const Args& p, int rank) {
  if constexpr (l <= LAYERS) {
    float* w = place<float>(shared, AT_w[l]);
    for (int e = thread(); e < WIDTH[l - 1] * WIDTH[l]; e += THREADS)
      w[e / WIDTH[l] * W_STRIDE[l] + e % WIDTH[l]] = p.w[l - 1][e];
    each_row(rank, l, [&](i64 from, int e) {
      if (MOMENTS >= 1) place<float>(shared, AT_m[l])[e] = p.wm[l - 1][from];
      if (MOMENTS >= 2) place<float>(shared, AT_v[l])[e] = p.wv[l - 1][from];
    });
    for (int c = thread(); BIAS[l] && c < WIDTH[l]; c += THREADS) {
      place<float>(shared, AT_b[l])[c] = p.b[l - 1][c];
      if (MOMENTS >= 1) place<float>(shared, AT_bm[l])[c] = p.bm[l - 1][c];
      if (MOMENTS >= 2) place<float>(shared, AT_bv[l])[c] = p.bv[l - 1][c];
    }
    load_layer<l + 1>(shared, p, rank);
  }
}
template <int l>
DEVICE void store_layer(char* shared, const Args& p, int rank) {
  if constexpr (l <= LAYERS) {
    each_row(rank, l, [&](i64 to, int e) {
      p.w[l - 1][to] = place<float>(
          shared, AT_w[l])[(rank * OWN_ROWS[l] + e / WIDTH[l]) * W_STRIDE[l] + e % WIDTH[l]];
      if (MOMENTS >= 1) p.wm[l - 1][to] = place<float>(shared, AT_m[l])[e];
      if (MOMENTS >= 2) p.wv[l - 1][to] = place<float>(shared, AT_v[l])[e];
    });
    for (int c = thread(); BIAS[l] && rank == 0 && c < WIDTH[l]; c += THREADS) {
      p.b[l - 1][c] = place<float>(shared, AT_b[l])[c];
      if (MOMENTS >= 1) p.bm[l - 1][c] = place<float>(shared, AT_bm[l])[c];
      if (MOMENTS >= 2) p.bv[l - 1][c] = place<float>(shared, AT_bv[l])[c];
    }
    store_layer<l + 1>(shared, p, rank);
  }
}
// Loads the first layer's states to registers; moments that are not kept there, to shared memory.
DEVICE void load_first(char* shared, const Args& p, const Lane& at, First& first) {
  load_cells(at, first.w, p.w[0], p.b[0]);
  if (MOMENTS >= 1) load_cells(at, first.m, p.wm[0], p.bm[0]);
  if (MOMENTS >= 2) load_cells(at, first.v, p.wv[0], p.bv[0]);
  if (MOMENTS_IN_REGISTERS) return;
#pragma unroll
  for (int i = 0; i < CELLS; ++i) {
    if (MOMENTS >= 1) place<float>(shared, AT_m[1])[i * COMPUTE + at.t] = (&first.m[0][0][0])[i];
    if (MOMENTS >= 2) place<float>(shared, AT_v[1])[i * COMPUTE + at.t] = (&first.v[0][0][0])[i];
  }
}
DEVICE void store_first(char* shared, const Args& p, const Lane& at, First& first) {
#pragma unroll
  for (int i = 0; i < CELLS && !MOMENTS_IN_REGISTERS; ++i) {
    if (MOMENTS >= 1) (&first.m[0][0][0])[i] = place<float>(shared, AT_m[1])[i * COMPUTE + at.t];
    if (MOMENTS >= 2) (&first.v[0][0][0])[i] = place<float>(shared, AT_v[1])[i * COMPUTE + at.t];
  }
  store_cells(at, first.w, p.w[0], p.b[0]);
  if (MOMENTS >= 1) store_cells(at, first.m, p.wm[0], p.bm[0]);
  if (MOMENTS >= 2) store_cells(at, first.v, p.wv[0], p.bv[0]);
}
DEVICE void start(char* shared, const Args& p, int rank) {
  const int t = thread();
  for (int i = t; i < SHARED_BYTES / 4; i += THREADS) place<unsigned>(shared, 0)[i] = 0;
  barrier_of_block();
  if (BIAS[1] && rank % K_SPLITS == 0)
    for (int row = t; row < 2 * ROWS; row += THREADS)
      place<float>(shared, AT_x)[row * X_STRIDE + K_ROWS] = 1.f;
  load_layer<2>(shared, p, rank);
  for (int l = t + 1; l <= LAYERS; l += THREADS)
    place<i64>(shared, AT_calls)[l] = p.calls[l - 1] ? *p.calls[l - 1] : 0;
  if (t == 0) {
    Barriers& bar = barriers(shared);
    barrier_init(&bar.parts, 1);
    barrier_init(&bar.deltas, 1);
    barrier_init(&bar.input[0], HELPERS);
    barrier_init(&bar.input[1], HELPERS);
    barrier_init(&bar.freed, COMPUTE_WARPS);
    barrier_init(&bar.helped, HELPERS);
    barrier_init_done();
    if (rank < OWNERS) expect_parts(shared, rank, false);
    expect_deltas(shared, rank);
  }
  publish();
}
// Sums in a fixed order, so that runs are reproducible.
DEVICE void store_metrics(char* shared, const Args& p, int rank) {
  double* all = place<double>(shared, AT_metrics);
  if (thread() == 0 && rank < OWNERS) {
    double loss = 0, right = 0;
    for (int s = 0; s < OWN; ++s)
      loss += place<double>(shared, AT_sums)[2 * s],
          right += place<double>(shared, AT_sums)[2 * s + 1];
    store_at(all + 2 * rank, loss, 0);
    store_at(all + 2 * rank + 1, right, 0);
  }
  barrier_of_warp();
  barrier_of_cluster();
  if (thread() != 0 || rank != 0) return;
  double loss = 0, right = 0;
  for (int r = 0; r < OWNERS; ++r) loss += all[2 * r], right += all[2 * r + 1];
  const float samples = (float)((double)p.steps * BATCH);
  if (LOSS_METRIC) *p.loss_total += (float)(loss * LOSS_SCALE * BATCH), *p.loss_count += samples;
  if (ACCURACY_METRIC) *p.accuracy_total += (float)right, *p.accuracy_count += samples;
  if (p.iteration) *p.iteration += p.steps;
  for (int l = 0; l < LAYERS; ++l)
    if (p.calls[l]) *p.calls[l] += p.steps;
}
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    train_dense_stack(const __grid_constant__ Args p) {
  extern __shared__ __align__(128) char shared[];
  const int rank = block_rank();
  start(shared, p, rank);
  // The compute warps' registers are live in this branch only.
  if (thread() < COMPUTE) {
    const Lane at = lane_of(thread(), rank);
    First first;
    load_first(shared, p, at, first);
    barrier_of_block();
    barrier_of_cluster();
    compute(shared, p, rank, first);
    store_first(shared, p, at, first);
  } else {
    barrier_of_block();
    barrier_of_cluster();
    help(shared, p, rank);
  }
  barrier_of_block();
  store_layer<2>(shared, p, rank);
  store_metrics(shared, p, rank);
}
