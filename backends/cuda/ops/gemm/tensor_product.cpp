#include "ops/gemm/tensor_product.h"

namespace stoker::cuda {
namespace {

// One mma.sync of 16 x 8 results. A fragment holds rows g and g + 8, columns by q (g = lane / 4,
// q = lane % 4): of floats k = q, q + 4, of halves pairs from k = 2q, 2q + 8.
const char* const multiply_text = R"cuda(
#ifdef STOKER_EMULATED
__device__ inline float element(uint32_t bits, int half) {
  if (!HALVES) return __uint_as_float(bits & 0xffffe000u);
  In x;
  *(uint16_t*)&x = uint16_t(bits >> 16 * half);
  return load(x);
}
__device__ inline void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  const int lane = threadIdx.x % 32;
  uint32_t left[2][32][2], right[32][2];
  for (int kh = 0; kh < 2; ++kh) emulated_gather(a[2 * kh], a[2 * kh + 1], left[kh]);
  emulated_gather(b[0], b[1], right);
  for (int j = 0; j < 4; ++j)
    for (int k = 0; k < KSTEP; ++k) {
      const int kq = HALVES ? k % 8 / 2 : k % 4, kh = HALVES ? k / 8 : k / 4;
      c[j] += element(left[kh][lane / 4 * 4 + kq][j / 2], k % 2) *
              element(right[(lane % 4 * 2 + j % 2) * 4 + kq][kh], k % 2);
    }
}
#else
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned." MMA " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

#if HALVES
__device__ __forceinline__ uint32_t along_k(const In* p) { return *(const uint32_t*)p; }
__device__ __forceinline__ uint32_t across_k(const In* p, int stride) {
  return *(const uint16_t*)p | uint32_t(*(const uint16_t*)(p + stride)) << 16;
}
#else
// The tensor core drops the low 13 bits. Adding most of half of what they may hold makes that a
// rounding that is right on average, leaves exact values exact, and keeps NaN and infinity.
__device__ __forceinline__ uint32_t along_k(const In* p) { return __float_as_uint(*p * 1.00035f); }
__device__ __forceinline__ uint32_t across_k(const In* p, int) { return along_k(p); }
#endif
)cuda";

// Slabs come by asynchronous copies of CHUNK bytes; what lies outside of the matrix is zero.
const char* const slab_text = R"cuda(
template <int BYTES> __device__ __forceinline__ void fetch(void* to, const void* from, bool inside) {
#ifdef STOKER_EMULATED
  for (int i = 0; i < BYTES; ++i) ((char*)to)[i] = inside ? ((const char*)from)[i] : 0;
#else
  const uint32_t at = uint32_t(__cvta_generic_to_shared(to));
  if constexpr (BYTES == 16)
    asm volatile("{ .reg .pred out; setp.eq.s32 out, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, out; }" ::"r"(at), "l"(from), "r"(int(inside)) : "memory");
  else if constexpr (BYTES >= 4)
    asm volatile("{ .reg .pred out; setp.eq.s32 out, %2, 0; cp.async.ca.shared.global [%0], [%1], %3, out; }" ::"r"(at), "l"(from), "r"(int(inside)), "n"(BYTES) : "memory");
  else
    *(uint16_t*)to = inside ? *(const uint16_t*)from : uint16_t(0);
#endif
}
__device__ __forceinline__ void end_of_slab() {
#ifndef STOKER_EMULATED
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int STILL_COMING> __device__ __forceinline__ void wait_for_slab() {
#ifndef STOKER_EMULATED
  asm volatile("cp.async.wait_group %0;" ::"n"(STILL_COMING) : "memory");
#endif
}
// A thread stays in its column of chunks and steps down the rows: the trip count is a constant and an
// address is one addition, as issuing copies is most of what a short product does. A row's length is a
// multiple of a chunk's, so a chunk is inside or outside as a whole.
template <int ROWS, int COLUMNS, int STRIDE, int CHUNK>
__device__ __forceinline__ void fetch_slab(In* to, const In* from, int64_t ld, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  constexpr int N = CHUNK / sizeof(In), PER_ROW = COLUMNS / N, ACROSS = PER_ROW < THREADS ? PER_ROW : THREADS, DOWN = THREADS / ACROSS;
  const int r0 = threadIdx.x / ACROSS, rows_left = rows - row < ROWS ? int(rows - row) : ROWS;
#pragma unroll
  for (int c0 = 0; c0 < PER_ROW; c0 += ACROSS) {
    const int c = (c0 + int(threadIdx.x) % ACROSS) * N, last = column + c < columns ? rows_left : 0;
    const In* at = from + (row + r0) * ld + column + c;
    In* put = to + r0 * STRIDE + c;
#pragma unroll
    for (int r = 0; r < ROWS; r += DOWN) {
      if (ROWS % DOWN == 0 || r0 + r < ROWS) fetch<CHUNK>(put + r * STRIDE, at, r0 + r < last);
      at += DOWN * ld;
    }
  }
}
)cuda";

const char* const cluster_text = R"cuda(
#if CLUSTER > 1
__device__ __forceinline__ void meet() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
template <int V> __device__ __forceinline__ Pack<float, V> from_block(const float* p, int block) {
  uint32_t at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(uint32_t(__cvta_generic_to_shared(p))), "r"(block));
  Pack<float, V> x;
  float* v = x.at;
  if constexpr (V == 4)
    asm volatile("ld.shared::cluster.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]) : "r"(at) : "memory");
  else if constexpr (V == 2)
    asm volatile("ld.shared::cluster.v2.f32 {%0,%1}, [%2];" : "=f"(v[0]), "=f"(v[1]) : "r"(at) : "memory");
  else
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v[0]) : "r"(at) : "memory");
  return x;
}
#else
__device__ __forceinline__ void meet() { __syncthreads(); }
template <int V> __device__ __forceinline__ Pack<float, V> from_block(const float* p, int) { return pack_at<V>(p); }
#endif
)cuda";

const char* const kernel_text = R"cuda(
constexpr int THREADS_M = TM / WARPS_M, THREADS_N = TN / WARPS_N, MT = THREADS_M / 16, NT = THREADS_N / 8;
constexpr int ALONG = 16 / sizeof(In);  // padding that spreads fragments over the banks
constexpr int A_ROWS = TRANS_A ? TK : TM, A_COLUMNS = TRANS_A ? TM : TK, A_STRIDE = A_COLUMNS + (TRANS_A ? 8 : ALONG);
constexpr int B_ROWS = TRANS_B ? TN : TK, B_COLUMNS = TRANS_B ? TK : TN, B_STRIDE = B_COLUMNS + (TRANS_B ? ALONG : 8);
constexpr int SLAB = A_ROWS * A_STRIDE + B_ROWS * B_STRIDE, SUMS_STRIDE = TN + 8;
constexpr int SHARE = TM / CLUSTER, PACKS = SHARE * TN / WIDTH, TURNS = (PACKS + THREADS - 1) / THREADS;

__device__ __forceinline__ void multiply_slab(float (&sums)[MT][NT][4], const In* a, const In* b, int m0, int n0, int g, int q) {
#pragma unroll
  for (int k0 = 0; k0 < TK; k0 += KSTEP) {
    uint32_t left[MT][4], right[NT][2];
#pragma unroll
    for (int i = 0; i < MT; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int m = m0 + 16 * i + g + 8 * (j % 2), k = k0 + (HALVES ? 2 * q + 8 * (j / 2) : q + 4 * (j / 2));
        left[i][j] = TRANS_A ? across_k(a + k * A_STRIDE + m, A_STRIDE) : along_k(a + m * A_STRIDE + k);
      }
#pragma unroll
    for (int i = 0; i < NT; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int n = n0 + 8 * i + g, k = k0 + (HALVES ? 2 * q + 8 * j : q + 4 * j);
        right[i][j] = TRANS_B ? along_k(b + n * B_STRIDE + k) : across_k(b + k * B_STRIDE + n, B_STRIDE);
      }
#pragma unroll
    for (int i = 0; i < MT; ++i)
#pragma unroll
      for (int j = 0; j < NT; ++j) multiply(sums[i][j], left[i], right[j]);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) product(Arguments x) {
  extern __shared__ float4 memory[];
  In* const slabs = (In*)memory;
  const int part = blockIdx.x % CLUSTER;
  const int tile = blockIdx.x / CLUSTER;
  const int64_t row = int64_t(tile / x.tiles_across) * TM, column = int64_t(tile % x.tiles_across) * TN;
  const int64_t begin = int64_t(blockIdx.y * CLUSTER + part) * x.depth;
  const int64_t end = begin + x.depth < x.inner ? begin + x.depth : x.inner;
  const int count = begin < end ? int((end - begin + TK - 1) / TK) : 0;
  const auto fetch_next = [&](int i) {
    if (i < count) {
      In* const a = slabs + i % STAGES * SLAB;
      const int64_t k = begin + int64_t(i) * TK;
      if (TRANS_A) fetch_slab<A_ROWS, A_COLUMNS, A_STRIDE, CHUNK_A>(a, x.a, x.rows, k, end, row, x.rows);
      else fetch_slab<A_ROWS, A_COLUMNS, A_STRIDE, CHUNK_A>(a, x.a, x.inner, row, x.rows, k, end);
      In* const b = a + A_ROWS * A_STRIDE;
      if (TRANS_B) fetch_slab<B_ROWS, B_COLUMNS, B_STRIDE, CHUNK_B>(b, x.b, x.inner, column, x.columns, k, end);
      else fetch_slab<B_ROWS, B_COLUMNS, B_STRIDE, CHUNK_B>(b, x.b, x.columns, k, end, column, x.columns);
    }
    end_of_slab();
  };
  for (int i = 0; i < STAGES - 1; ++i) fetch_next(i);

  // What the results meet is on its way while the product is made, if registers hold it.
  Rest<WIDTH> rest[EARLY ? TURNS : 1];
#if EARLY
#pragma unroll
  for (int i = 0; i < TURNS; ++i) {
    const int pack = threadIdx.x + i * THREADS;
    const int64_t r = row + part * SHARE + pack / (TN / WIDTH), c = column + pack % (TN / WIDTH) * WIDTH;
    if (pack < PACKS && r < x.rows && c < x.columns) rest[i] = rest_of<WIDTH>(x, r, c);
  }
#endif

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
  const int m0 = warp / WARPS_N * THREADS_M, n0 = warp % WARPS_N * THREADS_N;
  float sums[MT][NT][4] = {}, column_sum = 0;
  for (int i = 0; i < count; ++i) {
    wait_for_slab<STAGES - 2>();
    __syncthreads();
    fetch_next(i + STAGES - 1);
    const In* const a = slabs + i % STAGES * SLAB;
    multiply_slab(sums, a, a + A_ROWS * A_STRIDE, m0, n0, g, q);
#if BIAS_STEP
    if (row == 0)  // threads a column apart share its rows
#pragma unroll
      for (int k = threadIdx.x / TN; k < TK; k += THREADS / TN)
        column_sum += load(a[A_ROWS * A_STRIDE + k * B_STRIDE + threadIdx.x % TN]);
#endif
  }
  wait_for_slab<0>();
  __syncthreads();

  float* const own = (float*)memory;
#pragma unroll
  for (int i = 0; i < MT; ++i)
#pragma unroll
    for (int j = 0; j < NT; ++j)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        *(float2*)(own + (m0 + 16 * i + g + 8 * h) * SUMS_STRIDE + n0 + 8 * j + 2 * q) = make_float2(sums[i][j][2 * h], sums[i][j][2 * h + 1]);
  float* const own_columns = own + TM * SUMS_STRIDE;
#if BIAS_STEP
  own_columns[threadIdx.x] = column_sum;
  __syncthreads();
  if (threadIdx.x < TN)
    for (int t = threadIdx.x + TN; t < THREADS; t += TN) own_columns[threadIdx.x] += own_columns[t];
#endif
  meet();
#if BIAS_STEP
  if (row == 0 && part == 0 && threadIdx.x < TN && column + threadIdx.x < x.columns) {
    float total = 0;
#pragma unroll
    for (int block = 0; block < CLUSTER; ++block) total += from_block<1>(own_columns + threadIdx.x, block).at[0];
    finish_bias(x, total, column + threadIdx.x);
  }
#endif
#pragma unroll
  for (int i = 0; i < TURNS; ++i) {
    const int pack = threadIdx.x + i * THREADS;
    const int r = part * SHARE + pack / (TN / WIDTH), c = pack % (TN / WIDTH) * WIDTH;
    if (pack < PACKS && row + r < x.rows && column + c < x.columns) {
      float total[WIDTH] = {};
#pragma unroll
      for (int block = 0; block < CLUSTER; ++block) {
        const Pack<float, WIDTH> add = from_block<WIDTH>(own + r * SUMS_STRIDE + c, block);
#pragma unroll
        for (int e = 0; e < WIDTH; ++e) total[e] += add.at[e];
      }
#if SPLIT
      Pack<float, WIDTH> result;
#pragma unroll
      for (int e = 0; e < WIDTH; ++e) result.at[e] = total[e];
      *(Pack<float, WIDTH>*)((float*)x.partial + (blockIdx.y * x.rows + row + r) * x.columns + column + c) = result;
#else
      if (!EARLY) rest[0] = rest_of<WIDTH>(x, row + r, column + c);
      finish<WIDTH>(x, rest[EARLY ? i : 0], total, row + r, column + c);
#endif
    }
  }
  if (CLUSTER > 1) meet();  // others may still read these sums
}
)cuda";

const char* instruction(DType in) {
  if (in == DType::float16) return "m16n8k16.row.col.f32.f16.f16.f32";
  if (in == DType::bfloat16) return "m16n8k16.row.col.f32.bf16.bf16.f32";
  return "m16n8k8.row.col.f32.tf32.tf32.f32";
}

// Bytes of an asynchronous copy: a row must begin at a multiple of them.
int chunk_of(int64_t row_length, DType dtype) {
  const int64_t bytes = row_length * static_cast<int64_t>(size_of(dtype));
  return static_cast<int>(std::min<int64_t>(16, bytes & -bytes));
}

// How many packs of results a thread finishes.
int turns(const Product& p, const Tiling& t) {
  return t.tm * t.tn / t.cluster / vector_width(p) / t.threads();
}

int64_t padded(int64_t length, int64_t padding) { return length + padding; }

}  // namespace

void cut(ProductArguments& x, const Product& p, const Tiling& t) {
  const int64_t slabs = (p.k + t.tk - 1) / t.tk, parts = t.cluster * t.splits;
  x.tiles_across = static_cast<int32_t>((p.n + t.tn - 1) / t.tn);
  x.depth = static_cast<int32_t>((slabs + parts - 1) / parts * t.tk);
}

unsigned int shared_bytes(const Product& p, const Tiling& t) {
  const auto size = static_cast<int64_t>(size_of(p.in)), along = 16 / size;
  const int64_t a = p.trans_a ? t.tk * padded(t.tm, 8) : t.tm * padded(t.tk, along),
                b = p.trans_b ? t.tn * padded(t.tk, along) : t.tk * padded(t.tn, 8);
  return static_cast<unsigned int>(
      std::max(t.stages * (a + b) * size, (t.tm * padded(t.tn, 8) + t.threads()) * 4));
}

std::string tensor_product_text(const Product& p, const Tiling& t) {
  std::string text = product_text(p);
  text += fmt::format(
      "#define HALVES {:d}\n#define MMA \"{}\"\n#define CLUSTER {}\n#define SPLIT {:d}\n#define "
      "EARLY {:d}\n",
      size_of(p.in) == 2, instruction(p.in), t.cluster, t.splits > 1,
      t.splits == 1 && t.tm <= 64 && turns(p, t) <= 8);
  text += fmt::format(
      "constexpr int TM = {}, TN = {}, TK = {}, WARPS_M = {}, WARPS_N = {}, STAGES = {}, THREADS = "
      "{};\n",
      t.tm, t.tn, t.tk, t.warps_m, t.warps_n, t.stages, t.threads());
  text += fmt::format("constexpr int KSTEP = {}, CHUNK_A = {}, CHUNK_B = {}, WIDTH = {};\n",
                      size_of(p.in) == 2 ? 16 : 8, chunk_of(p.lda(), p.in), chunk_of(p.ldb(), p.in),
                      vector_width(p));
  return text + multiply_text + slab_text + cluster_text + kernel_text;
}

}  // namespace stoker::cuda
