#include "ops/gemm/library_product.h"
#include "ops/layout_text.h"

// A weight gradient in TF32 through cuBLASLt with its operands turned first: tensor cores take
// float32 along k only, and the library takes twice as long where both lie across it. Turning reads
// every row of b, so it steps a bias along the way.
namespace stoker::cuda {
namespace {

constexpr int64_t tile_down = 256, tile_across = 64;

// A thread turns 4 x 4 elements in registers. A warp reads 32 rows of 64 bytes and writes 16 of
// 128, four times along the columns.
const char* const turn_text = R"cuda(
constexpr int DOWN = 256, ACROSS = 64, STEPS = ACROSS / 16;
struct Square { Pack<float, 4> row[4]; };
__device__ __forceinline__ Square square_at(const float* from, int64_t width, bool inside) {
  Square x = {};
#pragma unroll
  for (int r = 0; r < 4; ++r)
    if (inside) x.row[r] = pack_at<4>(from + r * width);
  return x;
}
__device__ __forceinline__ void write_turned(const Square& x, float* to, int64_t inner) {
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    const Pack<float, 4> column = {x.row[0].at[c], x.row[1].at[c], x.row[2].at[c], x.row[3].at[c]};
    *(Pack<float, 4>*)(to + c * inner) = column;
  }
}
#if BIAS_STEP
// What a warp's 32 rows add up to, in the lanes of its first rows.
__device__ __forceinline__ float down_the_warp(float x) {
  for (int d = 1; d < 8; d *= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}
// The columns of a tile; the last tile of a column adds up what all have left.
__device__ __forceinline__ void step_bias(const Arguments& x, const Square (&squares)[STEPS], float* sums, int tiles_down, int down, int across) {
  __shared__ float held[8][ACROSS];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, own = threadIdx.x;
  const int64_t column = int64_t(across) * ACROSS + own;
#pragma unroll
  for (int s = 0; s < STEPS; ++s)
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      float sum = 0;
      for (int r = 0; r < 4; ++r) sum += squares[s].row[r].at[c];
      sum = down_the_warp(sum);
      if (lane % 8 == 0) held[warp][s * 16 + lane / 8 * 4 + c] = sum;
    }
  __syncthreads();
  float sum = 0;
  const bool runs = own < ACROSS && column < x.columns;
  for (int w = 0; runs && w < 8; ++w) sum += held[w][own];
  if (runs) sums[down * x.columns + column] = sum;
  if (!is_last_block(across, tiles_down) || !runs) return;
  sum = 0;
#pragma unroll 8
  for (int t = 0; t < tiles_down; ++t) sum += ((volatile float*)sums)[t * x.columns + column];
  finish_bias(x, sum, column);
}
#endif
extern "C" __global__ void __launch_bounds__(256) turn(Arguments x, float* a, float* b, float* sums, int tiles_of_a, int tiles_down) {
  const bool is_a = blockIdx.x < tiles_of_a;
  const int tile = is_a ? blockIdx.x : blockIdx.x - tiles_of_a, down = tile % tiles_down, across = tile / tiles_down;
  const float* const from = is_a ? x.a : x.b;
  float* const to = is_a ? a : b;
  const int64_t width = is_a ? x.rows : x.columns;
  const int64_t row = int64_t(down) * DOWN + threadIdx.x / 32 * 32 + threadIdx.x % 8 * 4;
  const int64_t column = int64_t(across) * ACROSS + threadIdx.x % 32 / 8 * 4;
  Square squares[STEPS];
#pragma unroll
  for (int s = 0; s < STEPS; ++s)
    squares[s] = square_at(from + row * width + column + 16 * s, width, row < x.inner && column + 16 * s < width);
#pragma unroll
  for (int s = 0; s < STEPS; ++s)
    if (row < x.inner && column + 16 * s < width) write_turned(squares[s], to + (column + 16 * s) * x.inner + row, x.inner);
#if BIAS_STEP
  if (!is_a) step_bias(x, squares, sums, tiles_down, down, across);
#endif
}
)cuda";

int64_t tiles_down(const Product& p) { return (p.k + tile_down - 1) / tile_down; }
int64_t tiles_across(int64_t width) { return (width + tile_across - 1) / tile_across; }
uint64_t floats(int64_t count) { return (static_cast<uint64_t>(count) * 4 + 255) / 256 * 256; }

// Where the pieces of the workspace lie, in bytes.
struct Rooms {
  uint64_t a, b, sums, part, library;
  Rooms(const Product& p)
      : a(0),
        b(a + floats(p.m * p.k)),
        sums(b + floats(p.n * p.k)),
        part(sums + (p.bias_step ? floats(tiles_down(p) * p.n) : 0)),
        library(part + (p.adam ? floats(p.m * p.n) : 0)) {}
};

std::unique_ptr<Kernel> with_turned_operands(const Product& p) {
  Product turned = p;
  turned.trans_a = false;
  turned.trans_b = true;
  const auto product =
      std::make_shared<LibraryProduct>(turned, p.adam ? DType::float32 : p.out, false);
  const auto turn = make_function(product_text(p) + last_block_helpers + turn_text, "turn");
  const Finishing finishing = make_finishing(p, DType::float32);
  const Rooms rooms(p);
  const int down = static_cast<int>(tiles_down(p)),
            of_a = static_cast<int>(tiles_across(p.m)) * down,
            of_b = static_cast<int>(tiles_across(p.n)) * down;
  return make_kernel(
      {turn, finishing.function},
      [=](Encoder& encoder, void* const* arguments, void* workspace) {
        char* const room = static_cast<char*>(workspace);
        void *const a = room + rooms.a, *const b = room + rooms.b;
        ProductArguments x = bind(p, arguments);
        encoder.launch(*turn, {.blocks = static_cast<unsigned int>(of_a + of_b)}, x, a, b,
                       static_cast<void*>(room + rooms.sums), of_a, down);
        x.a = a;
        x.b = b;
        x.partial = p.adam ? room + rooms.part : x.out;
        product->encode(encoder.gpu(), x, x.partial, room + rooms.library);
        if (p.adam) finishing.encode(encoder, x);
      },
      rooms.library + product->workspace());
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const Product p = product_of(node);
  if (!is_worth_turning(p))
    refusal = "operands need not be turned";
  else if (!current_gpu().context || current_gpu().name == "emulated")
    refusal = "there is no GPU to choose an algorithm for";
  if (!refusal.empty()) return nullptr;
  try {
    return with_turned_operands(p);
  } catch (const CudaError& error) {
    refusal = error.what();
    return nullptr;
  }
}

const RegisterKernel matmul{"matmul", "cublaslt_turned", specialised, plan};
const RegisterKernel matmul_adam{"matmul_adam", "cublaslt_turned", specialised, plan};
const RegisterKernel matmul_adam_bias{"matmul_adam_bias", "cublaslt_turned", specialised, plan};

}  // namespace

// Turning passes both operands through memory twice; the product saves half of its time.
bool is_worth_turning(const Product& p) {
  const bool across = p.in == DType::float32 && settings().tf32 && p.trans_a && !p.trans_b;
  if (!across || p.m % 4 != 0 || p.n % 4 != 0 || p.k % 4 != 0 ||
      tiles_across(p.n) > most_split_groups)
    return false;
  constexpr double flops_lost = 150e12, bytes_a_second = 4e12, launch = 1e-6;
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n),
             k = static_cast<double>(p.k);
  return m * n * k / flops_lost > 8 * (m + n) * k / bytes_a_second + launch;
}

}  // namespace stoker::cuda
