#include "ops/conv2d_tiles.h"

namespace stoker::cuda {
namespace {

// The weights stay in registers. Column n of filter tile j is filter 2 NT (n / 2) + 2 j + n % 2, so
// that a thread ends up with 2 NT neighbouring filters of a pixel and writes them at once.
constexpr const char* text = R"cuda(
constexpr int STEPS = (TAPS + 7) / 8, OWN = 2 * NT;

template <class V> struct alignas(sizeof(V) * OWN < 16 ? sizeof(V) * OWN : 16) Pack {
  static constexpr int N = sizeof(V) * OWN < 16 ? OWN : 16 / sizeof(V);
  V at[N];
};
template <class V, class G> __device__ __forceinline__ void write_own(V* to, G value) {
  constexpr int N = Pack<V>::N;
#pragma unroll
  for (int i = 0; i < OWN; i += N) {
    Pack<V> pack;
#pragma unroll
    for (int j = 0; j < N; ++j) pack.at[j] = value(i + j);
    *reinterpret_cast<Pack<V>*>(to + i) = pack;
  }
}

struct Weights {
  float at[STEPS][NT][2];
  __device__ __forceinline__ void read(const T* kernel, int first, int g, int t) {
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
#pragma unroll
      for (int j = 0; j < NT; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int tap = 8 * s + t + 4 * i, f = first + OWN * (g / 2) + 2 * j + g % 2;
          at[s][j][i] = tap < TAPS ? to_tf32(load(kernel[tap * F + f])) : 0.f;
        }
  }
};

// Two rows of pixels at offsets of the strip, times all weights.
__device__ __forceinline__ void multiply(float (&sums)[NT][4], const Weights& weights,
                                         const float* upper, const float* lower,
                                         const int (&taps)[STEPS][2], int t) {
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    float a[4];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const bool real = 8 * s + 7 < TAPS || 8 * s + t + 4 * i < TAPS;
      a[2 * i] = real ? upper[taps[s][i]] : 0.f;
      a[2 * i + 1] = real ? lower[taps[s][i]] : 0.f;
    }
#pragma unroll
    for (int j = 0; j < NT; ++j) mma_tf32(sums[j], a, weights.at[s][j]);
  }
}

__device__ __forceinline__ void start(float (&sums)[NT][4], const float (&bias)[OWN]) {
#pragma unroll
  for (int j = 0; j < NT; ++j)
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[j][i] = bias[2 * j + i % 2];
}

extern "C" __global__ void __launch_bounds__(THREADS)
conv2d_tiles(const T* x, const T* kernel, const T* bias, T* y, uint8_t* index) {
  extern __shared__ float strip[];
  const int n = blockIdx.x / STRIPS, first_row = blockIdx.x % STRIPS * ROWS;
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int first = blockIdx.y * 8 * NT;
  stage_strip(x, strip, n, first_row);

  Weights weights;
  weights.read(kernel, first, g, t);
  float own_bias[OWN];
#pragma unroll
  for (int i = 0; i < OWN; ++i) own_bias[i] = BIAS ? load(bias[first + OWN * t + i]) : 0.f;
  int taps[STEPS][2];
#pragma unroll
  for (int s = 0; s < STEPS; ++s)
#pragma unroll
    for (int i = 0; i < 2; ++i) taps[s][i] = tap_offset(8 * s + t + 4 * i);
  __syncthreads();

  const int rows = RESULT_ROWS - first_row < ROWS ? RESULT_ROWS - first_row : ROWS;
  const int positions = rows * COLUMNS;
  const int64_t start_of = ((int64_t(n) * RESULT_ROWS + first_row) * COLUMNS) * F + first + OWN * t;
  if (POOLED) {
    for (int group = warp; group * 8 < positions; group += THREADS / 32) {
      const int own = group * 8 + g, position = own < positions ? own : positions - 1;
      float best[OWN];
      int where[OWN];
#pragma unroll
      for (int place = 0; place < PLACES; place += 2) {
        const bool pair = place + 1 < PLACES;
        float sums[NT][4];
        start(sums, own_bias);
        multiply(sums, weights, strip + strip_offset(position, place),
                 strip + strip_offset(position, pair ? place + 1 : place), taps, t);
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const float value = sums[i / 2][2 * half + i % 2];
            const bool larger = place + half == 0 || (half == 0 || pair) && (value > best[i] || value != value);
            best[i] = larger ? value : best[i];
            where[i] = larger ? place + half : where[i];
          }
        }
      }
      if (own >= positions) continue;
#pragma unroll
      for (int i = 0; i < OWN; ++i) {
        if (RELU && !(best[i] > 0)) where[i] = 255;
        if (RELU && best[i] < 0) best[i] = 0;
      }
      write_own(y + start_of + int64_t(own) * F, [&](int i) { return store<T>(best[i]); });
      write_own(index + start_of + int64_t(own) * F, [&](int i) { return uint8_t(where[i]); });
    }
  } else {
    for (int group = warp; group * 16 < positions; group += THREADS / 32) {
      const int upper = group * 16 + g, lower = upper + 8;
      float sums[NT][4];
      start(sums, own_bias);
      multiply(sums, weights, strip + strip_offset(upper < positions ? upper : 0, 0),
               strip + strip_offset(lower < positions ? lower : 0, 0), taps, t);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int own = half ? lower : upper;
        if (own >= positions) continue;
        write_own(y + start_of + int64_t(own) * F, [&](int i) {
          const float value = sums[i / 2][2 * half + i % 2];
          return store<T>(RELU && value < 0 ? 0.f : value);
        });
      }
    }
  }
}
)cuda";

// conv2d, conv2d_bias with a third input, conv2d_bias_pool with a second output.
std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  Conv2dTiles tiles;
  if (!plan_tiles(node, node.in[0].shape, node.in[1].shape, tiles, refusal)) return nullptr;
  tiles.bias = node.in.size() > 2;
  auto function = make_function(tiles.text() + text, "conv2d_tiles");
  const LaunchShape launch{.blocks = static_cast<unsigned int>(tiles.all_strips()),
                           .threads = Conv2dTiles::threads,
                           .blocks_y = static_cast<unsigned int>(tiles.filter_blocks()),
                           .shared_bytes = static_cast<unsigned int>(tiles.strip_floats()) * 4};
  const size_t inputs = node.in.size();
  const bool pooled = tiles.pooled;
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, launch, a[0], a[1], inputs > 2 ? a[2] : nullptr, a[inputs],
                   pooled ? a[inputs + 1] : nullptr);
  });
}

const RegisterKernel forward{"conv2d", "tiles", specialised, plan_forward};
const RegisterKernel with_bias{"conv2d_bias", "tiles", specialised, plan_forward};
const RegisterKernel pooled{"conv2d_bias_pool", "tiles", specialised, plan_forward};

}  // namespace
}  // namespace stoker::cuda
