#include "ops/attention/attention_flash_text.h"

#include <algorithm>

#include "ops/gemm/half_mma_text.h"
#include "ops/gemm/tile_product_text.h"

namespace stoker::cuda {
namespace {

constexpr int threads = 128, block_rows = 64;

const char* const common_text = R"cuda(
constexpr int BLOCK = THREADS / 2;                   // rows that a block keeps
constexpr int WIDTH = SIZE + VALUES + (WARPGROUPS ? 0 : 16);  // of a row of both tiles that pass by
constexpr float LOG2E = 1.4426950408889634f, FACTOR = float(SCALE) * LOG2E;

struct Place { int64_t n; int block; };
// Blocks of TOGETHER matrices run side by side, what they read then stays in the L2 cache. The first block of each
// comes first.
__device__ __forceinline__ Place place_of_block(const Arguments& x, int blocks) {
  const uint32_t each = uint32_t(TOGETHER) * blocks, chunk = blockIdx.x / each, rest = blockIdx.x % each;
  const uint32_t left = uint32_t(x.count) - chunk * TOGETHER, here = left < TOGETHER ? left : TOGETHER;
  return {int64_t(chunk * TOGETHER + rest % here), int(rest / here)};
}
__device__ __forceinline__ int blocks_of(int64_t rows) { return int((rows + BLOCK - 1) / BLOCK); }

// The rows that pass by: `a` of SIZE and `b` of VALUES numbers, STAGES steps of them in shared memory.
struct Passing {
  In* tiles;
  const In *a, *b;
  int rows, steps;
  __device__ __forceinline__ In* a_tile(int step) const { return tiles + step % STAGES * (STEP * WIDTH); }
  __device__ __forceinline__ In* b_tile(int step) const { return a_tile(step) + STEP * (WARPGROUPS ? SIZE : SIZE + 8); }
  __device__ __forceinline__ void fetch_step(int step) const {
    if (step >= steps) return;
    fetch_rows<SIZE>(a_tile(step), a, step * STEP, rows);
    fetch_rows<VALUES>(b_tile(step), b, step * STEP, rows);
  }
};
__device__ __forceinline__ void fetch_first_steps(const Passing& pass) {
  for (int step = 0; step + 1 < STAGES; ++step) {
    pass.fetch_step(step);
    end_of_group();
  }
}
// The oldest step that is under way has come, and nobody reads the one before it any more.
__device__ __forceinline__ void wait_for_step() {
  wait_for_group<STAGES - 2>();
  show_tiles();
  __syncthreads();
}
// Steps over the keys that a block of queries sees.
__device__ __forceinline__ int steps_over_keys(int block, int keys) {
  const int end = (block + 1) * BLOCK;
  return ((CAUSAL && !MASKED && end < keys ? end : keys) + STEP - 1) / STEP;
}

template <int N> __device__ __forceinline__ void keep_rows(uint32_t (&left)[N / 16][4], const In* m, int rows) {
#pragma unroll
  for (int k = 0; k < N / 16; ++k) load_left(left[k], m, N, rows, k * 16);
}
// Lanes exchange tiles of 8 columns, so that each has 8 bytes in a row.
template <int N> __device__ __forceinline__ void write_rows(In* to, const float (&values)[N / 8][4], const float (&factor)[2],
                                                            int rows) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4, odd = t % 2;
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int j = 0; j < N / 8; j += 2) {
      uint32_t pair[2];
#pragma unroll
      for (int i = 0; i < 2; ++i)
        pair[i] = pair_of(values[j + i][half * 2] * factor[half], values[j + i][half * 2 + 1] * factor[half]);
      const uint32_t other = __shfl_xor_sync(0xffffffffu, odd ? pair[0] : pair[1], 1);
      const uint2 both = odd ? make_uint2(other, pair[1]) : make_uint2(pair[0], other);
      if (g + half * 8 < rows) *(uint2*)(to + (g + half * 8) * N + (j + odd) * 8 + t / 2 * 4) = both;
    }
}
// Over the four lanes that have parts of a row.
__device__ __forceinline__ float row_sum(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}
__device__ __forceinline__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
__device__ __forceinline__ float power_of_2(float x) {
#ifdef STOKER_EMULATED
  return exp2f(x);
#else
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#endif
}
)cuda";

bool fits(int64_t size) { return size % 16 == 0 && size > 0 && size <= 128; }

// Matrices whose keys and values fill about a quarter of the L2 cache.
int64_t together(const AttentionProblem& p) {
  const int64_t bytes = p.keys * (p.size + p.values) * 2;
  return std::clamp<int64_t>(current_gpu().l2_bytes / 4 / std::max<int64_t>(bytes, 1), 1, p.count);
}

}  // namespace

bool serves_flash(const AttentionProblem& p, std::string& refusal) {
  constexpr int64_t most_places = 1 << 22, most_blocks = INT32_MAX;
  if (!is_half(p.dtype))
    refusal = "computes in halves";
  else if (!fits(p.size) || !fits(p.values))
    refusal = "sizes of heads must be multiples of 16 up to 128";
  else if (p.count == 0 || p.queries == 0 || p.keys == 0)
    refusal = "an operand is empty";
  else if (std::max(p.queries, p.keys) > most_places ||
           p.count * (std::max(p.queries, p.keys) / block_rows + 1) > most_blocks)
    refusal = "too many places";
  else if (p.scale < 1e-6)  // the largest score is found before they are scaled
    refusal = "needs a scale above zero";
  return refusal.empty();
}

FlashShape plain_shape(const AttentionProblem& p) {
  return {.step = p.size > 64 || p.values > 64 ? 32 : 64};
}

bool has_warpgroups(const AttentionProblem& p) {
  return current_gpu().capability == 90 && p.size == p.values && p.size % 64 == 0;
}

std::string flash_text(const AttentionProblem& p, const FlashShape& s, const std::string& kernels) {
  return attention_text(p) +
         fmt::format(
             "#define HALF \"{}\"\n#define WARPGROUPS {:d}\nconstexpr int THREADS = {}, STEP = {}, "
             "BLOCKS_EACH = {}, STAGES = {}, TOGETHER = {};\n",
             p.dtype == DType::float16 ? "f16" : "bf16", s.warpgroups, threads, s.step,
             s.blocks_each, s.stages, together(p)) +
         half_mma_text + half_tile_text + tile_product_text + common_text + kernels;
}

LaunchShape flash_launch(const AttentionProblem& p, const FlashShape& s, int64_t rows) {
  constexpr int64_t half_bytes = 2, sums_bytes = 8;
  const int64_t width = p.size + p.values + (s.warpgroups ? 0 : 16);
  const int64_t blocks = (rows + block_rows - 1) / block_rows;
  return {.blocks = static_cast<unsigned int>(p.count * blocks),
          .threads = threads,
          .shared_bytes =
              static_cast<unsigned int>(s.stages * s.step * (width * half_bytes + sums_bytes))};
}

}  // namespace stoker::cuda
