// The compute warps: the first layer's weight and moments stay in their registers, in the fragment
// layout in which a tensor core delivers the gradient and, with k permuted, takes the weight.
#pragma once
#include "trainer/samples.cuh"

constexpr int CELLS = UNIT_TILES * K_TILES * 4;
// A small batch: gradient, update and the next batch's forward product are fused tile by tile.
constexpr bool FUSED = SUBS == 1 && ROWS <= 32 && UNIT_TILES == 1;

struct Lane {
  int t, warp, lane, g, q, rank, k_split, n_split, unit,
      k;  // unit, k: this warp's first one, in the block
  bool busy;
};
DEVICE Lane lane_of(int t, int rank) {
  Lane at;
  at.t = t, at.warp = t >> 5, at.lane = t & 31, at.g = at.lane >> 2, at.q = at.lane & 3;
  at.rank = rank, at.k_split = rank % K_SPLITS, at.n_split = rank / K_SPLITS;
  at.unit = at.warp % UNIT_WARPS * 16;
  at.k = at.warp / UNIT_WARPS * K_TILES * 8;
  at.busy = at.warp / UNIT_WARPS < K_GROUPS;
  return at;
}
using Cells = float[UNIT_TILES][K_TILES][4];
// Calls visit(cell, its offset in the kernel or the bias) for all elements that are not padding.
template <class F>
DEVICE void each_cell(const Lane& at, Cells& cells, float* kernel, float* bias, F visit) {
  const int k0 = at.k + 2 * at.q, unit = at.n_split * UNITS + at.unit + at.g;
  const int rows = at.busy ? at_most(K_ROWS, WIDTH[0] - at.k_split * K_ROWS) : 0;
  float* first = kernel + (i64)(at.k_split * K_ROWS + k0) * WIDTH[1] + unit;
#pragma unroll
  for (int i = 0; i < UNIT_TILES * K_TILES * 4; ++i) {
    const int u = i / (K_TILES * 4) * UNIT_WARPS * 16 + i % 4 / 2 * 8,
              k = i / 4 % K_TILES * 8 + i % 2;
    if (k0 + k < rows && unit + u < WIDTH[1])
      visit(cells[i / (K_TILES * 4)][i / 4 % K_TILES][i % 4], first + k * WIDTH[1] + u);
  }
  // The bias is one more row, with inputs of 1.
  if (!BIAS[1] || at.k_split != 0 || at.k != K_ROWS / 8 / K_TILES * K_TILES * 8 ||
      at.q != K_ROWS % 8 / 2)
    return;
#pragma unroll
  for (int i = 0; i < UNIT_TILES * 2; ++i) {
    const int u = i / 2 * UNIT_WARPS * 16 + i % 2 * 8;
    if (unit + u < WIDTH[1])
      visit(cells[i / 2][K_ROWS / 8 % K_TILES][K_ROWS % 2 + i % 2 * 2], bias + unit + u);
  }
}
DEVICE void load_cells(const Lane& at, Cells& to, float* kernel, float* bias) {
#pragma unroll
  for (int i = 0; i < UNIT_TILES * K_TILES * 4; ++i)
    to[i / (K_TILES * 4)][i / 4 % K_TILES][i % 4] = 0.f;
  each_cell(at, to, kernel, bias, [](float& cell, const float* from) { cell = *from; });
}
DEVICE void store_cells(const Lane& at, Cells& from, float* kernel, float* bias) {
  each_cell(at, from, kernel, bias, [](const float& cell, float* to) { *to = cell; });
}

struct First {
  Cells w, m, v;
};
// Updates one tile; moments that are not in registers are read and written here.
DEVICE void improve_tile(First& first, int u, int k, const float (&g)[4], float rate, char* shared,
                         int t) {
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    if (MOMENTS_IN_REGISTERS) {
      improve(first.w[u][k][j], first.m[u][k][j], first.v[u][k][j], g[j], rate);
    } else {
      const int cell = ((u * K_TILES + k) * 4 + j) * COMPUTE + t;
      float *ms = place<float>(shared, AT_m[1]) + cell, *vs = place<float>(shared, AT_v[1]) + cell;
      float m = MOMENTS >= 1 ? *ms : 0.f, v = MOMENTS >= 2 ? *vs : 0.f;
      improve(first.w[u][k][j], m, v, g[j], rate);
      if (MOMENTS >= 1) *ms = m;
      if (MOMENTS >= 2) *vs = v;
    }
  }
}
DEVICE void read_deltas(const Lane& at, const float* deltas, int samples, int u, unsigned (&a)[4]) {
  const int n = at.unit + u * UNIT_WARPS * 16 + at.g, s = samples + at.q, s4 = s + 4;
  const float* d0 = deltas + s / OWN * DELTA_STRIDE + n * OWN + s % OWN;
  const float* d1 = deltas + s4 / OWN * DELTA_STRIDE + n * OWN + s4 % OWN;
  a[0] = bits(d0[0]), a[1] = bits(d0[8 * OWN]), a[2] = bits(d1[0]), a[3] = bits(d1[8 * OWN]);
}
DEVICE void add_forward(const Lane& at, const float* x, int rows, int k, float (&w)[4],
                        float (&sums)[2][4]) {
  const float* from = x + (rows + at.g) * X_STRIDE + at.k + k * 8 + 2 * at.q;
  const float2 upper = *(const float2*)from, lower = *(const float2*)(from + 8 * X_STRIDE);
  const unsigned a[4] = {bits(upper.x), bits(lower.x), bits(upper.y), bits(lower.y)};
  mma(sums[0], a, rounded(w[0]), rounded(w[1]));
  mma(sums[1], a, rounded(w[2]), rounded(w[3]));
}
DEVICE void add_gradient(const Lane& at, const float* x, int samples, int k,
                         const unsigned (&deltas)[4], float (&g)[4]) {
  const float* from = x + (samples + at.q) * X_STRIDE + at.k + k * 8 + at.g;
  mma(g, deltas, bits(from[0]), bits(from[4 * X_STRIDE]));
}
DEVICE void store_sums(const Lane& at, char* shared, int rows, int u, const float (&sums)[2][4]) {
  float* to = place<float>(shared, AT_local) +
              (at.k / (K_TILES * 8) * ROWS + rows + at.g) * LOCAL_STRIDE + at.unit +
              u * UNIT_WARPS * 16 + 2 * at.q;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    *(float2*)(to + half * 8) = make_float2(sums[half][0], sums[half][1]);
    *(float2*)(to + half * 8 + 8 * LOCAL_STRIDE) = make_float2(sums[half][2], sums[half][3]);
  }
}

// The first layer's partial sums over this block's input rows.
DEVICE void partial_sums(const Lane& at, char* shared, First& first, const float* x) {
  if (!at.busy) return;
  for (int rows = 0; rows < ROWS; rows += 16) {
    float sums[UNIT_TILES][2][4] = {};
#pragma unroll
    for (int k = 0; k < K_TILES; ++k)
#pragma unroll
      for (int u = 0; u < UNIT_TILES; ++u) add_forward(at, x, rows, k, first.w[u][k], sums[u]);
#pragma unroll
    for (int u = 0; u < UNIT_TILES; ++u) store_sums(at, shared, rows, u, sums[u]);
  }
}
DEVICE void add_gradients(const Lane& at, char* shared, Cells& gradients, const float* x) {
  if (!at.busy) return;
  const float* deltas = place<float>(shared, AT_delta_in);
#pragma unroll 2
  for (int samples = 0; samples < ROWS; samples += 8) {
    unsigned d[UNIT_TILES][4];
#pragma unroll
    for (int u = 0; u < UNIT_TILES; ++u) read_deltas(at, deltas, samples, u, d[u]);
#pragma unroll
    for (int k = 0; k < K_TILES; ++k)
#pragma unroll
      for (int u = 0; u < UNIT_TILES; ++u) add_gradient(at, x, samples, k, d[u], gradients[u][k]);
  }
}
DEVICE void improve_all(const Lane& at, char* shared, First& first, Cells& gradients, float rate) {
#pragma unroll
  for (int u = 0; u < UNIT_TILES; ++u)
#pragma unroll
    for (int k = 0; k < K_TILES; ++k) {
      improve_tile(first, u, k, gradients[u][k], rate, shared, at.t);
#pragma unroll
      for (int j = 0; j < 4; ++j) gradients[u][k][j] = 0.f;
    }
}
DEVICE void fused_turn(const Lane& at, char* shared, First& first, const float* x,
                       const float* next, float rate) {
  if (!at.busy) return;
  constexpr int tiles = ROWS <= 32 ? ROWS / 16 : 1;
  float sums[tiles][2][4] = {};
  unsigned d[2 * tiles][4];
#pragma unroll
  for (int s = 0; s < 2 * tiles; ++s)
    read_deltas(at, place<float>(shared, AT_delta_in), 8 * s, 0, d[s]);
#pragma unroll
  for (int k = 0; k < K_TILES; ++k) {
    float g[4] = {};
#pragma unroll
    for (int s = 0; s < 2 * tiles; ++s) add_gradient(at, x, 8 * s, k, d[s], g);
    improve_tile(first, 0, k, g, rate, shared, at.t);
#pragma unroll
    for (int rows = 0; rows < tiles; ++rows)
      add_forward(at, next, 16 * rows, k, first.w[0][k], sums[rows]);
  }
#pragma unroll
  for (int rows = 0; rows < tiles; ++rows) store_sums(at, shared, 16 * rows, 0, sums[rows]);
}

// Adds up the warps' sums and sends each owner the results of its samples; each warp handles some
// of the owners.
DEVICE void send_parts(const Lane& at, char* shared) {
  constexpr int pieces = OWN * UNITS / 4, rounds = (OWNERS + COMPUTE_WARPS - 1) / COMPUTE_WARPS;
  const float* local = place<float>(shared, AT_local);
  float *out = place<float>(shared, AT_part_out),
        *there = place<float>(shared, AT_part) + at.rank * OWN * UNITS;
  u64* barrier = &barriers(shared).parts;
  constexpr bool stores = by_store(OWN * UNITS, OWNERS);
#pragma unroll
  for (int begin = 0; begin < rounds * pieces; begin += 32) {
    const int e = begin + at.lane, owner = at.warp + e / pieces * COMPUTE_WARPS, piece = e % pieces;
    if (e >= rounds * pieces || owner >= OWNERS) continue;
    const float* from =
        local + (owner * OWN + piece * 4 / UNITS) * LOCAL_STRIDE + piece * 4 % UNITS;
    float4 sum = *(const float4*)from;
#pragma unroll
    for (int group = 1; group < K_GROUPS; ++group) {
      const float4 more = *(const float4*)(from + group * ROWS * LOCAL_STRIDE);
      sum.x += more.x, sum.y += more.y, sum.z += more.z, sum.w += more.w;
    }
    if (stores)
      send_four(sum, there + piece * 4, barrier, owner);
    else
      *(float4*)(out + owner * OWN * UNITS + piece * 4) = sum;
  }
  if (stores) return;
  publish();
  barrier_of_warp();
  if (at.lane != 0) return;
  for (int owner = at.warp; owner < OWNERS; owner += COMPUTE_WARPS)
    send(out + owner * OWN * UNITS, there, OWN * UNITS * 4, barrier, owner);
}

template <int l>
DEVICE unsigned weight_bytes(int rank) {
  if constexpr (l > LAYERS) {
    return 0;
  } else {
    constexpr int senders = (WIDTH[l - 1] + OWN_ROWS[l] - 1) / OWN_ROWS[l];
    return (senders - (rank < senders)) * OWN_ROWS[l] * W_STRIDE[l] * 4 + weight_bytes<l + 1>(rank);
  }
}
template <int l>
DEVICE unsigned later_bytes(int rank) {
  if constexpr (l > LAYERS) {
    return 0;
  } else {
    return ((rank * OWN_ROWS[l] < WIDTH[l - 1] ? OWN_ROWS[l] : 0) + PADDED[l]) * OWN * 4 +
           later_bytes<l + 1>(rank);
  }
}
DEVICE void expect_parts(char* shared, int rank, bool weights) {
  expect(&barriers(shared).parts,
         CLUSTER * OWN * UNITS * 4 + (weights ? weight_bytes<2>(rank) : 0));
}
DEVICE void expect_deltas(char* shared, int rank) {
  expect(&barriers(shared).deltas, OWNERS * (UNITS * OWN * 4 + later_bytes<2>(rank)));
}

DEVICE void compute(char* shared, const Args& p, int rank, First& first) {
  const Lane at = lane_of(thread(), rank);
  Barriers& bar = barriers(shared);
  const float* const x = place<float>(shared, AT_x);
  const bool owner = rank < OWNERS;
  const int micro_batches = (int)p.steps * SUBS;
  Cells gradients = {};
  wait(&bar.input[0], 0);
  partial_sums(at, shared, first, x);
  barrier_of_compute();
  send_parts(at, shared);
  MicroBatch micro_batch{shared, rank, at.t, rank * OWN, 0, 0, 0};
  for (int i = 0, sub = 0; i < micro_batches; ++i) {
    const int now = i & 1, next = now ^ 1;
    const bool last_sub = sub == SUBS - 1, more = i + 1 < micro_batches;
    if (owner) {
      wait(&bar.parts, now);
      if (at.t == 0 && more) expect_parts(shared, rank, last_sub);
      micro_batch.first = sub * SUB + rank * OWN;
      const int left = at_most(SUB - rank * OWN, BATCH - micro_batch.first);
      micro_batch.valid = left < OWN ? left : OWN;
      micro_batch.slot = now;
      finish_samples(micro_batch);
    }
    if (more) wait(&bar.input[next], (i + 1) >> 1 & 1);
    const float rate = place<float>(shared, AT_alpha)[now];
    wait(&bar.deltas, now);
    if (at.t == 0 && more) expect_deltas(shared, rank);
    if (FUSED) {
      fused_turn(at, shared, first, x + now * ROWS * X_STRIDE, x + next * ROWS * X_STRIDE, rate);
    } else {
      add_gradients(at, shared, gradients, x + now * ROWS * X_STRIDE);
      if (last_sub) improve_all(at, shared, first, gradients, rate);
      if (more) partial_sums(at, shared, first, x + next * ROWS * X_STRIDE);
    }
    barrier_of_warp();
    if (at.lane == 0) arrive(&bar.freed);
    barrier_of_compute();
    wait(&bar.helped, now);
    if (more) send_parts(at, shared);
    sub = last_sub ? 0 : sub + 1;
    micro_batch.step += last_sub;
  }
}
