#include "ops/rnn/rnn_text.h"

#include "ops/rnn/rnn_cell_text.h"

// One kernel does a step for all rows and units: a block takes 8 rows and 16 units with all their
// gates, sums the product over the state in shares of k, and goes on with the cell.
namespace stoker::cuda {
namespace {

const char* const common_text = R"cuda(
struct Step {
  int64_t units, t;
  const Acc* before;  // what the step before multiplies with the kernel: h, or its gates' gradients
  Acc* after;         // and what this one does
  Acc *h, *c;         // what flows past the product, c on both ways
};
constexpr int CHUNK = sizeof(Acc) == 8 ? 256 : 512;  // of k at a time in shared memory
struct alignas(16) Four { Acc at[4]; };

// `width` numbers of each row of the block from column `base` on, and zeros up to a multiple of 4.
template <class V>
__device__ __forceinline__ void stage(Acc (*rows)[CHUNK], const V* from, int64_t width, int64_t base, int n,
                                      int64_t first_row, int64_t batch) {
  const int padded = (n + 3) / 4 * 4;
  __syncthreads();
  for (int i = threadIdx.x; i < ROWS * padded; i += blockDim.x) {
    const int row = i / padded, k = i % padded;
    const int64_t r = first_row + row;
    rows[row][k] = r < batch && k < n ? Acc(load(from[r * width + base + k])) : Acc(0);
  }
  __syncthreads();
}
)cuda";

const char* const forward_text = R"cuda(
constexpr int COLS = G * UNITS, SHARES = 256 / COLS;
__device__ __forceinline__ void run_cell(const Arguments& a, const Step& s, int64_t row, int64_t unit, Acc (&inner)[4]) {
  const int64_t u = s.units, at = s.t * a.batch + row, here = at * u + unit, state = row * u + unit;
  const bool first = s.t == 0, last = s.t + 1 == a.time, runs = !MASKED || a.mask[at] != 0;
  const Acc h = first ? Acc(load(a.h[state])) : s.before[state];
  const Acc c = !LSTM ? Acc(0) : first ? Acc(load(a.c[state])) : s.c[state];
  Acc x[4] = {}, kept[4] = {}, next_h = h, next_c = c;
  for (int g = 0; g < G; ++g) {
    x[g] = load(a.x[(at * G + g) * u + unit]);
    if (GRU) inner[g] += load(a.bias[g * u + unit]);
  }
  step_cell(x, inner, next_h, next_c, kept);
  if (!runs) next_h = h, next_c = c;
  s.after[state] = next_h;
  a.sequence[here] = store<T>(next_h);
  if (last) a.last_h[state] = store<T>(next_h);
  if (LSTM) {
    s.c[state] = next_c;
    a.carries[here] = store<T>(next_c);
    if (last) a.last_c[state] = store<T>(next_c);
  }
  if (G > 1)
    for (int k = 0; k < 4; ++k) a.gates[(at * 4 + k) * u + unit] = store<T>(kept[k]);
}

extern "C" __global__ void __launch_bounds__(256) rnn_step(Arguments a, Step s) {
  __shared__ Acc h[ROWS][CHUNK];
  __shared__ Acc partial[SHARES][ROWS][COLS];
  const int64_t u = s.units, first_unit = blockIdx.x * int64_t(UNITS), first_row = blockIdx.y * int64_t(ROWS);
  const int column = threadIdx.x % COLS, share = threadIdx.x / COLS;
  const int64_t unit = first_unit + column % UNITS;
  const T* weights = a.kernel + column / UNITS * u + unit;
  Acc sums[ROWS] = {};
  for (int64_t base = 0; base < u; base += CHUNK) {
    const int n = u - base < CHUNK ? int(u - base) : CHUNK;
    if (s.t == 0) stage(h, a.h, u, base, n, first_row, a.batch);
    else stage(h, s.before, u, base, n, first_row, a.batch);
    if (share >= SHARES || unit >= u) continue;
#pragma unroll 4
    for (int k = share * 4; k < n; k += SHARES * 4) {
      Acc w[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) w[i] = k + i < n ? Acc(load(weights[(base + k + i) * G * u])) : Acc(0);
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        const Four four = *(const Four*)&h[r][k];
#pragma unroll
        for (int i = 0; i < 4; ++i) sums[r] += four.at[i] * w[i];
      }
    }
  }
  if (share < SHARES)
    for (int r = 0; r < ROWS; ++r) partial[share][r][column] = sums[r];
  __syncthreads();
  const int row = threadIdx.x / UNITS, j = threadIdx.x % UNITS;
  if (row >= ROWS || first_row + row >= a.batch || first_unit + j >= u) return;
  Acc inner[4] = {};
  for (int g = 0; g < G; ++g)
    for (int i = 0; i < SHARES; ++i) inner[g] += partial[i][row][g * UNITS + j];
  run_cell(a, s, first_row + row, first_unit + j, inner);
}
)cuda";

const char* const backward_text = R"cuda(
constexpr int LANES = 16;
__device__ __forceinline__ void run_cell(const Arguments& a, const Step& s, int64_t row, int64_t unit, Acc of_h) {
  const int64_t u = s.units, state = row * u + unit, last = a.time - 1;
  of_h += s.t < last ? s.h[state] : OF_H ? Acc(load(a.of_last_h[state])) : Acc(0);
  Acc of_c = 0;
  if (LSTM) of_c = s.t < last ? s.c[state] : OF_C ? Acc(load(a.of_last_c[state])) : Acc(0);
  if (s.t < 0) {
    a.of_h[state] = store<T>(of_h);
    if (LSTM) a.of_c[state] = store<T>(of_c);
    return;
  }
  const int64_t at = s.t * a.batch + row, here = at * u + unit;
  if (OF_SEQUENCE) of_h += load(a.of_sequence[here]);
  Acc of_x[4] = {}, of_inner[4] = {};
  if (!MASKED || a.mask[at] != 0) {
    Acc kept[4] = {}, before = 0;
    if (G > 1) {
      for (int k = 0; k < 4; ++k) kept[k] = load(a.gates[(at * 4 + k) * u + unit]);
      before = load(s.t == 0 ? (LSTM ? a.c : a.h)[state] : (LSTM ? a.carries : a.sequence)[here - a.batch * u]);
    }
    step_back(kept, before, GRU ? Acc(0) : Acc(load((LSTM ? a.carries : a.sequence)[here])), of_h, of_c, of_x, of_inner);
  }
  for (int g = 0; g < G; ++g) {
    a.of_x[(at * G + g) * u + unit] = store<T>(of_x[g]);
    if (GRU) a.of_inner[(at * G + g) * u + unit] = store<T>(of_inner[g]);
    s.after[(row * G + g) * u + unit] = of_inner[g];
  }
  s.h[state] = of_h;
  if (LSTM) s.c[state] = of_c;
}

extern "C" __global__ void __launch_bounds__(256) rnn_step(Arguments a, Step s) {
  __shared__ Acc of_gates[ROWS][CHUNK];
  __shared__ Acc of_h[ROWS][UNITS];
  const int64_t u = s.units, width = G * u;
  const int64_t first_unit = blockIdx.x * int64_t(UNITS), first_row = blockIdx.y * int64_t(ROWS);
  const int lane = threadIdx.x % LANES, unit = threadIdx.x / LANES;
  const T* weights = a.kernel + (first_unit + unit) * width;
  Acc sums[ROWS] = {};
  if (s.t + 1 < a.time) {
    for (int64_t base = 0; base < width; base += CHUNK) {
      const int n = width - base < CHUNK ? int(width - base) : CHUNK;
      stage(of_gates, s.before, width, base, n, first_row, a.batch);
      if (first_unit + unit >= u) continue;
#pragma unroll 4
      for (int k = lane * 4; k < n; k += LANES * 4) {
        Acc w[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) w[i] = k + i < n ? Acc(load(weights[base + k + i])) : Acc(0);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
          const Four four = *(const Four*)&of_gates[r][k];
#pragma unroll
          for (int i = 0; i < 4; ++i) sums[r] += four.at[i] * w[i];
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    for (int d = LANES / 2; d > 0; d /= 2) sums[r] += __shfl_xor_sync(0xffffffffu, sums[r], d);
    if (lane == 0) of_h[r][unit] = sums[r];
  }
  __syncthreads();
  const int row = threadIdx.x / UNITS, j = threadIdx.x % UNITS;
  if (row >= ROWS || first_row + row >= a.batch || first_unit + j >= u) return;
  run_cell(a, s, first_row + row, first_unit + j, of_h[row][j]);
}
)cuda";

}  // namespace

std::string rnn_text(const RnnProblem& p) {
  return rnn_cell_text(p, RnnMaths::exact) +
         fmt::format("#define ROWS {}\n#define UNITS {}\n", rnn_rows, rnn_units) + common_text +
         (p.backward ? backward_text : forward_text);
}

}  // namespace stoker::cuda
