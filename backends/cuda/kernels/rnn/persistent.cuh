// All steps of a recurrence in one persistent kernel. Rows of the batch are independent: a cluster
// of blocks has some of them for all steps, and no cluster waits for another. The recurrent kernel
// stays in registers; in every step the blocks exchange either the new state of their units
// (forward) or their gates' contribution to the gradient of all units (backward).
#pragma once
#include "gemm/tf32.cuh"
#include "ptx/cluster.cuh"
#include "rnn/cell.cuh"

#if SIXTEEN_BIT
#include "gemm/float16_fragments.cuh"
#endif

constexpr int PACK = 16 / sizeof(T), PACK_BYTES = PARTS * ROWS * 16, LINE = G * UNITS,
              ROW_TILES = ROWS / 8;
constexpr int WARPS = THREADS / 32, PER_THREAD = (OWN * ROWS + THREADS - 1) / THREADS;
typedef uint32_t Weights[TILES][GROUPS][2][4];
typedef float Sums[TILES][ROW_TILES][4];

// The right operand: element (k, row) of a product. Packs of 16 bytes along k; the four that a warp
// reads at once for eight rows are in different banks. 16 bits are not precise enough for a float
// state or gradient: the remainder after rounding is stored as a second 16-bit number.
DEVICE int place_of(int k, int row) {
  const int pack = k / PACK;
  return pack * PACK_BYTES + row / 8 * 128 + ((row + 2 * pack) & 7) * 16 +
         k % PACK * int(sizeof(T));
}
DEVICE void put(char* at, float value) {
#if SIXTEEN_BIT
  const T high = store<T>(value);
  *(T*)at = high;
  *(T*)(at + ROWS * 16) = store<T>(value - load(high));
#else
  *(float*)at = to_tf32(value);
#endif
}

// value(m, k) of the tensor core's left operand, 16 rows m per tile, four packs of k per group.
template <class F>
DEVICE void keep(Weights& weights, int first_tile, int first_group, F value) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int tile = 0; tile < TILES; ++tile)
#pragma unroll
    for (int group = 0; group < GROUPS; ++group)
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const int m = (first_tile + tile) * 16 + g + i % 2 * 8;
        const int k = ((first_group + group) * 4 + t) * PACK + i / 2 * (PACK / 4);
#if SIXTEEN_BIT
        weights[tile][group][i / 4][i % 4] =
            uint32_t(value(m, k).bits) | uint32_t(value(m, k + 1).bits) << 16;
#else
        weights[tile][group][i / 4][i % 4] = bits_of(to_tf32(value(m, k)));
#endif
      }
}

DEVICE void multiply_tile(float (&d)[4], const uint32_t (&a)[4], uint32_t low, uint32_t high) {
#if SIXTEEN_BIT
  const uint32_t b[2] = {low, high};
  mma(d, a, b);
#else
  const float left[4] = {__uint_as_float(a[0]), __uint_as_float(a[1]), __uint_as_float(a[2]),
                         __uint_as_float(a[3])};
  const float b[2] = {__uint_as_float(low), __uint_as_float(high)};
  mma_tf32(d, left, b);
#endif
}
DEVICE void multiply(Sums& sums, const Weights& weights, const char* right, int first_group) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const char* const from = right + (first_group * 4 + t) * PACK_BYTES + ((g + 2 * t) & 7) * 16;
  Sums others = {};  // two shorter dependency chains
#pragma unroll
  for (int group = 0; group < GROUPS; ++group)
#pragma unroll
    for (int n = 0; n < ROW_TILES; ++n) {
#pragma unroll
      for (int part = 0; part < PARTS; ++part) {
        const uint4 b =
            *(const uint4*)(from + group * 4 * PACK_BYTES + (part * ROW_TILES + n) * 128);
#pragma unroll
        for (int tile = 0; tile < TILES; ++tile) {
          multiply_tile(sums[tile][n], weights[tile][group][0], b.x, b.y);
          multiply_tile(others[tile][n], weights[tile][group][1], b.z, b.w);
        }
      }
    }
#pragma unroll
  for (int i = 0; i < TILES * ROW_TILES * 4; ++i)
    sums[i / 4 / ROW_TILES][i / 4 % ROW_TILES][i % 4] +=
        others[i / 4 / ROW_TILES][i / 4 % ROW_TILES][i % 4];
}

// f(m, row, sum) for every result of this thread.
template <class F>
DEVICE void each_sum(const Sums& sums, int first_tile, F f) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int tile = 0; tile < TILES; ++tile)
#pragma unroll
    for (int n = 0; n < ROW_TILES; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        f((first_tile + tile) * 16 + g + i / 2 * 8, n * 8 + t * 2 + i % 2, sums[tile][n][i]);
}

// A unit of a row that a thread processes in all steps. A thread without one reads another's.
struct Cell {
  int j, n, unit;  // among the block's units and rows, and among all units
  int64_t row;
  bool there;
  DEVICE int64_t state() const { return row * UNITS + unit; }
};
DEVICE Cell cell_of(int i, int rank, int64_t first_row, int64_t batch) {
  const int index = threadIdx.x + i * THREADS, j = index % OWN, n = index / OWN,
            unit = rank * OWN + j;
  const int64_t row = first_row + n;
  return {j, n, unit < UNITS ? unit : UNITS - 1, row < batch ? row : batch - 1,
          n < ROWS && unit < UNITS && row < batch};
}

// Messages of time step s are in buffer s % 2 (double buffer), whose barrier counts the others'
// bytes: a block writes its own part itself. Before a block sends those of step s + 1 it has read
// step s, and no block sends step s + 2 before it has received them: two buffers are enough.
constexpr int NEWS = (CLUSTER - 1) * MESSAGE;
DEVICE int own_rank() { return CLUSTER > 1 ? block_rank() : 0; }
DEVICE void begin_exchange(uint64_t* arrived) {
  if (CLUSTER == 1) return __syncthreads();
  if (threadIdx.x == 0) {
    for (int b = 0; b < 2; ++b) barrier_init(arrived + b, 1);
    barrier_init_done();
    for (int b = 0; b < 2; ++b) expect(arrived + b, NEWS);
  }
  barrier_of_cluster();
}
// message(to) sends to another block, once all threads of this one have arrived. A warp issues its
// copies one after the other, so all warps take part.
template <class F>
DEVICE void send_to_others(int rank, F message) {
  if (CLUSTER > 1) publish();
  __syncthreads();
  if (CLUSTER > 1 && threadIdx.x % 32 == 0)
    for (int to = threadIdx.x / 32; to < CLUSTER; to += WARPS)
      if (to != rank) message(to);
}
DEVICE void wait_for(uint64_t* arrived, int step) {
  if (CLUSTER == 1) return;
  while (!passed(arrived + step % 2, unsigned(step - 1) / 2 % 2)) {
  }
  if (threadIdx.x == 0) expect(arrived + step % 2, NEWS);
}
DEVICE void end_exchange() {
  if (CLUSTER > 1) barrier_of_cluster();  // no block exits while others still read from it
}
