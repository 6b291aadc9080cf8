#include "ops/rnn_text.h"

// One kernel does a step for all rows and units: a block takes 8 rows and 16 units with all their
// gates, sums the product over the state in shares of k, and goes on with the cell.
namespace stoker::cuda {
namespace {

const char* const common_text = R"cuda(
typedef Compute<T>::type Acc;
struct Arguments {
  const T *x, *kernel, *h, *c, *bias;
  const uint8_t* mask;
  T *sequence, *carries, *gates;
  T *last_h, *last_c;
  const T *of_sequence, *of_last_h, *of_last_c;
  T *of_x, *of_inner, *of_h, *of_c;
  Acc *direct, *carry;
  int64_t time, batch, units, t;
};
constexpr bool LSTM = CELL == 0, GRU = CELL == 1, RELU = CELL == 3;
constexpr int CHUNK = sizeof(Acc) == 8 ? 256 : 512;  // of k at a time in shared memory
struct alignas(16) Four { Acc at[4]; };
__device__ __forceinline__ Acc sigmoid(Acc x) { return Acc(1) / (Acc(1) + exp_(-x)); }

// `width` numbers of each row of the block from column `base` on, and zeros up to a multiple of 4.
__device__ __forceinline__ void stage(Acc (*rows)[CHUNK], const T* from, int64_t width, int64_t base, int n,
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
__device__ __forceinline__ void run_cell(const Arguments& a, int64_t row, int64_t unit, const Acc (&inner)[G]) {
  const int64_t u = a.units, at = a.t * a.batch + row, here = at * u + unit;
  const int64_t before = (a.t == 0 ? row : at - a.batch) * u + unit;
  const Acc h = load((a.t == 0 ? a.h : a.sequence)[before]);
  Acc next = 0;
  const T* x = a.x + at * G * u + unit;
  const bool runs = !MASKED || a.mask[at] != 0;
  if (LSTM) {
    const Acc c = load((a.t == 0 ? a.c : a.carries)[before]);
    const Acc i = sigmoid(load(x[0]) + inner[0]), f = sigmoid(load(x[u]) + inner[1 % G]);
    const Acc g = tanh_(load(x[2 * u]) + inner[2 % G]), o = sigmoid(load(x[3 * u]) + inner[3 % G]);
    const Acc new_c = f * c + i * g, kept[4] = {i, f, g, o};
    next = o * tanh_(new_c);
    const T stored = store<T>(runs ? new_c : c);
    a.carries[here] = stored;
    if (a.t + 1 == a.time) a.last_c[row * u + unit] = stored;
    for (int k = 0; k < 4; ++k) a.gates[(at * 4 + k) * u + unit] = store<T>(kept[k]);
  } else if (GRU) {
    Acc p[3];
    for (int g = 0; g < 3; ++g) p[g] = inner[g % G] + load(a.bias[g * u + unit]);
    const Acc z = sigmoid(load(x[0]) + p[0]), r = sigmoid(load(x[u]) + p[1]);
    const Acc candidate = tanh_(load(x[2 * u]) + r * p[2]), kept[4] = {z, r, candidate, p[2]};
    next = z * h + (1 - z) * candidate;
    for (int k = 0; k < 4; ++k) a.gates[(at * 4 + k) * u + unit] = store<T>(kept[k]);
  } else {
    const Acc sum = load(x[0]) + inner[0];
    next = RELU ? (sum < 0 ? Acc(0) : sum) : tanh_(sum);
  }
  const T stored = store<T>(runs ? next : h);
  a.sequence[here] = stored;
  if (a.t + 1 == a.time) a.last_h[row * u + unit] = stored;
}

extern "C" __global__ void __launch_bounds__(256) rnn_step(Arguments a) {
  __shared__ Acc h[ROWS][CHUNK];
  __shared__ Acc partial[SHARES][ROWS][COLS];
  const int64_t u = a.units, first_unit = blockIdx.x * int64_t(UNITS), first_row = blockIdx.y * int64_t(ROWS);
  const T* before = a.t == 0 ? a.h : a.sequence + (a.t - 1) * a.batch * u;
  const int column = threadIdx.x % COLS, share = threadIdx.x / COLS;
  const int64_t unit = first_unit + column % UNITS;
  const T* weights = a.kernel + column / UNITS * u + unit;
  Acc sums[ROWS] = {};
  for (int64_t base = 0; base < u; base += CHUNK) {
    const int n = u - base < CHUNK ? int(u - base) : CHUNK;
    stage(h, before, u, base, n, first_row, a.batch);
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
  Acc inner[G] = {};
  for (int g = 0; g < G; ++g)
    for (int s = 0; s < SHARES; ++s) inner[g] += partial[s][row][g * UNITS + j];
  run_cell(a, first_row + row, first_unit + j, inner);
}
)cuda";

const char* const backward_text = R"cuda(
constexpr int LANES = 16;
__device__ __forceinline__ void run_cell(const Arguments& a, int64_t row, int64_t unit, Acc of_h) {
  const int64_t u = a.units, state = row * u + unit, last = a.time - 1;
  of_h += a.t < last ? a.direct[state] : OF_H ? Acc(load(a.of_last_h[state])) : Acc(0);
  Acc of_c = 0;
  if (LSTM) of_c = a.t < last ? a.carry[state] : OF_C ? Acc(load(a.of_last_c[state])) : Acc(0);
  if (a.t < 0) {
    a.of_h[state] = store<T>(of_h);
    if (LSTM) a.of_c[state] = store<T>(of_c);
    return;
  }
  const int64_t at = a.t * a.batch + row, here = at * u + unit;
  if (OF_SEQUENCE) of_h += load(a.of_sequence[here]);
  Acc of_x[4] = {}, of_inner[3] = {}, direct = 0;
  if (MASKED && a.mask[at] == 0) {
    direct = of_h;
  } else if (LSTM) {
    const T* gates = a.gates + at * 4 * u + unit;
    const Acc i = load(gates[0]), f = load(gates[u]), g = load(gates[2 * u]), o = load(gates[3 * u]);
    const Acc c = load(a.t == 0 ? a.c[state] : a.carries[here - a.batch * u]), t = tanh_(Acc(load(a.carries[here])));
    of_c += of_h * o * (1 - t * t);
    of_x[0] = of_c * g * i * (1 - i);
    of_x[1] = of_c * c * f * (1 - f);
    of_x[2] = of_c * i * (1 - g * g);
    of_x[3] = of_h * t * o * (1 - o);
    of_c *= f;
  } else if (GRU) {
    const T* gates = a.gates + at * 4 * u + unit;
    const Acc z = load(gates[0]), r = load(gates[u]), candidate = load(gates[2 * u]);
    const Acc h = load(a.t == 0 ? a.h[state] : a.sequence[here - a.batch * u]);
    const Acc of_candidate = of_h * (1 - z) * (1 - candidate * candidate);
    of_x[0] = of_inner[0] = of_h * (h - candidate) * z * (1 - z);
    of_x[1] = of_inner[1] = of_candidate * load(gates[3 * u]) * r * (1 - r);
    of_x[2] = of_candidate;
    of_inner[2] = of_candidate * r;
    direct = of_h * z;
  } else {
    const Acc h = load(a.sequence[here]);
    of_x[0] = RELU ? (h > 0 ? of_h : Acc(0)) : of_h * (1 - h * h);
  }
  for (int g = 0; g < G; ++g) {
    a.of_x[(at * G + g) * u + unit] = store<T>(of_x[g]);
    if (GRU) a.of_inner[(at * G + g) * u + unit] = store<T>(of_inner[g % 3]);
  }
  a.direct[state] = direct;
  if (LSTM) a.carry[state] = of_c;
}

extern "C" __global__ void __launch_bounds__(256) rnn_step(Arguments a) {
  __shared__ Acc of_gates[ROWS][CHUNK];
  __shared__ Acc of_h[ROWS][UNITS];
  const int64_t u = a.units, width = G * u;
  const int64_t first_unit = blockIdx.x * int64_t(UNITS), first_row = blockIdx.y * int64_t(ROWS);
  const int lane = threadIdx.x % LANES, unit = threadIdx.x / LANES;
  const T* weights = a.kernel + (first_unit + unit) * width;
  Acc sums[ROWS] = {};
  if (a.t + 1 < a.time) {
    const T* after = (GRU ? a.of_inner : a.of_x) + (a.t + 1) * a.batch * width;
    for (int64_t base = 0; base < width; base += CHUNK) {
      const int n = width - base < CHUNK ? int(width - base) : CHUNK;
      stage(of_gates, after, width, base, n, first_row, a.batch);
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
  run_cell(a, first_row + row, first_unit + j, of_h[row][j]);
}
)cuda";

}  // namespace

std::string rnn_text(const RnnProblem& p) {
  const bool wide = p.dtype == DType::float64;
  return fmt::format(
             "typedef {} T;\n#define exp_ {}\n#define tanh_ {}\n#define CELL {:d}\n#define G {}\n"
             "#define ROWS {}\n#define UNITS {}\n#define MASKED {:d}\n#define OF_SEQUENCE {:d}\n"
             "#define OF_H {:d}\n#define OF_C {:d}\n",
             type_name(p.dtype), wide ? "exp" : "expf", wide ? "tanh" : "tanhf",
             static_cast<int>(p.cell), p.gates(), rnn_rows, rnn_units, p.masked, p.of_sequence,
             p.of_h, p.of_c) +
         common_text + (p.backward ? backward_text : forward_text);
}

}  // namespace stoker::cuda
