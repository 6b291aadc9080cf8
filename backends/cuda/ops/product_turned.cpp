#include "ops/layout_text.h"
#include "ops/library_product.h"

// A weight gradient in TF32 through cuBLASLt with its operands turned first: tensor cores take
// float32 along k only, and the library takes twice as long where both lie across it. Turning reads
// every row of b, so it steps a bias along the way.
namespace stoker::cuda {
namespace {

constexpr int64_t tile = 64;

const char* const turn_text = R"cuda(
constexpr int TILE = 64, PITCH = TILE + 1;
// Moves a 64 x 64 tile of `from` (inner rows of `width`) to where it is a tile of `to` (width rows of inner).
__device__ __forceinline__ void turn_tile(float (&held)[TILE * PITCH], const float* from, float* to, int64_t inner, int64_t width, int64_t row, int64_t column) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int r = threadIdx.x / 16 + 16 * i, c = threadIdx.x % 16 * 4;
    Pack<float, 4> x = {};
    if (row + r < inner && column + c < width) x = pack_at<4>(from + (row + r) * width + column + c);
    for (int e = 0; e < 4; ++e) held[r * PITCH + c + e] = x.at[e];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int c = threadIdx.x / 16 + 16 * i, r = threadIdx.x % 16 * 4;
    Pack<float, 4> x;
    for (int e = 0; e < 4; ++e) x.at[e] = held[(r + e) * PITCH + c];
    if (row + r < inner && column + c < width) *(Pack<float, 4>*)(to + (column + c) * inner + row + r) = x;
  }
}
#if BIAS_STEP
// The tile's columns, four threads a column; the last tile of a column adds up what all have left.
__device__ __forceinline__ float four_threads(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}
__device__ __forceinline__ void step_bias(const Arguments& x, const float (&held)[TILE * PITCH], float* sums, int tiles_down, int down, int across) {
  const int c = threadIdx.x / 4, part = threadIdx.x % 4;
  const int64_t column = int64_t(across) * TILE + c;
  float sum = 0;
#pragma unroll
  for (int r = 0; r < TILE; r += 4) sum += held[(r + part) * PITCH + c];
  sum = four_threads(sum);
  if (part == 0 && column < x.columns) sums[down * x.columns + column] = sum;
  if (!is_last_block(across, tiles_down)) return;
  sum = 0;
  if (column < x.columns)
    for (int t = part; t < tiles_down; t += 4) sum += ((volatile float*)sums)[t * x.columns + column];
  sum = four_threads(sum);
  if (part == 0 && column < x.columns) finish_bias(x, sum, column);
}
#endif
extern "C" __global__ void __launch_bounds__(256) turn(Arguments x, float* a, float* b, float* sums, int tiles_of_a, int tiles_down) {
  __shared__ float held[TILE * PITCH];
  const bool is_a = blockIdx.x < tiles_of_a;
  const int tile = is_a ? blockIdx.x : blockIdx.x - tiles_of_a, down = tile % tiles_down, across = tile / tiles_down;
  turn_tile(held, is_a ? x.a : x.b, is_a ? a : b, x.inner, is_a ? x.rows : x.columns, int64_t(down) * TILE, int64_t(across) * TILE);
#if BIAS_STEP
  if (!is_a) step_bias(x, held, sums, tiles_down, down, across);
#endif
}
)cuda";

int64_t tiles(int64_t length) { return (length + tile - 1) / tile; }
uint64_t floats(int64_t count) { return (static_cast<uint64_t>(count) * 4 + 255) / 256 * 256; }

// Where the pieces of the workspace lie, in bytes.
struct Rooms {
  uint64_t a, b, sums, part, library;
  Rooms(const Product& p)
      : a(0),
        b(a + floats(p.m * p.k)),
        sums(b + floats(p.n * p.k)),
        part(sums + (p.bias_step ? floats(tiles(p.k) * p.n) : 0)),
        library(part + (p.adam ? floats(p.m * p.n) : 0)) {}
};

std::unique_ptr<Kernel> with_turned_operands(const Product& p) {
  Product turned = p;
  turned.trans_a = false;
  turned.trans_b = true;
  const bool finishes = p.mask || p.adam;
  const auto product =
      std::make_shared<LibraryProduct>(turned, p.adam ? DType::float32 : p.out, !finishes);
  const auto turn = make_function(product_text(p) + last_block_helpers + turn_text, "turn");
  const Finishing finishing = make_finishing(p, DType::float32);
  const Rooms rooms(p);
  const int down = static_cast<int>(tiles(p.k)), of_a = static_cast<int>(tiles(p.m)) * down,
            of_b = static_cast<int>(tiles(p.n)) * down;
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
        if (finishes) finishing.encode(encoder, x);
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
  if (!across || p.m % 4 != 0 || p.n % 4 != 0 || p.k % 4 != 0 || tiles(p.n) > most_split_groups)
    return false;
  constexpr double flops_lost = 150e12, bytes_a_second = 4e12, launch = 1e-6;
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n),
             k = static_cast<double>(p.k);
  return m * n * k / flops_lost > 8 * (m + n) * k / bytes_a_second + launch;
}

}  // namespace stoker::cuda
