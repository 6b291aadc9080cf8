#include "trainer/kernel_text.h"

namespace stoker::cuda::trainer {

// The helper warps: they fetch the next samples, and improve the later layers.
const char* const kernel_helpers = R"cuda(
constexpr int VECTORS = K_ROWS / VECTOR;  // of a sample, in a block
struct Vector {
  Input v[VECTOR];
};
template <int size> struct Words { using type = uint4; };
template <> struct Words<4> { using type = unsigned; };
template <> struct Words<1> { using type = unsigned char; };
DEVICE Vector fetch(const Input* from) {
  Vector v;
  using Word = typename Words<sizeof(Vector)>::type;
  *(Word*)&v = *(const Word*)from;
  return v;
}
DEVICE float prepared(Input v) {
  const float f = (float)v;
  return round_tf32(SCALED ? f * INPUT_SCALE : f);
}

struct Fetch {
  char* shared;
  int rank, t, i, sub;  // i: turns since the launch began
  i64 step;
};
DEVICE i64 row_of_sample(const Args& p, i64 step, int sample) {
  if (!GATHERED) return sample;
  return *(const i64*)((const char*)p.index + step * p.index_stride + (i64)sample * 8);
}
DEVICE void fetch_index(const Fetch& at, const Args& p) {
  for (int s = at.t; s < SUB; s += HELPERS)
    if (at.sub * SUB + s < BATCH) place<int>(at.shared, AT_index)[(at.i & 1) * ROWS + s] = (int)row_of_sample(p, at.step, at.sub * SUB + s);
}
DEVICE void fetch_labels(const Fetch& at, const Args& p) {
  if (at.rank >= OWNERS) return;
  constexpr int width = LOSS == 0 ? 1 : WIDTH[LAYERS];
  const Label* y = (const Label*)((const char*)p.y + at.step * p.y_stride);
  const int* index = place<int>(at.shared, AT_index) + (at.i & 1) * ROWS;
  for (int e = at.t; e < OWN * width; e += HELPERS) {
    const int s = at.rank * OWN + e / width;
    if (s >= SUB || at.sub * SUB + s >= BATCH) continue;
    const Label label = y[(i64)index[s] * width + e % width];
    const bool known = (i64)label >= 0 && (i64)label < WIDTH[LAYERS];
    if (LOSS == 0) place<int>(at.shared, AT_labels)[(at.i & 1) * OWN + e] = known ? (int)label : -1;
    else place<float>(at.shared, AT_labels)[(at.i & 1) * OWN * width + e] = (float)label;
  }
}
DEVICE void fetch_samples(const Fetch& at, const Args& p) {
  constexpr int all = (SUB * VECTORS + HELPERS - 1) / HELPERS, rounds = (all + 15) / 16, some = (all + rounds - 1) / rounds;
  const Input* x = (const Input*)((const char*)p.x + at.step * p.x_stride);
  const int* index = place<int>(at.shared, AT_index) + (at.i & 1) * ROWS;
  float* to = place<float>(at.shared, AT_x) + (at.i & 1) * ROWS * X_STRIDE;
  const int first = at.rank % K_SPLITS * K_ROWS;
  for (int begin = 0; begin < all; begin += some) {
    Vector v[some];
#pragma unroll
    for (int j = 0; j < some; ++j) {
      const int e = (begin + j) * HELPERS + at.t, s = e / VECTORS, column = first + e % VECTORS * VECTOR;
      if (s < SUB && at.sub * SUB + s < BATCH && column < WIDTH[0]) v[j] = fetch(x + (i64)index[s] * WIDTH[0] + column);
    }
    if (begin == 0 && at.i >= 2) wait(&barriers(at.shared).freed, at.i & 1);
#pragma unroll
    for (int j = 0; j < some; ++j) {
      const int e = (begin + j) * HELPERS + at.t, s = e / VECTORS, column = e % VECTORS * VECTOR;
      if (!(s < SUB && at.sub * SUB + s < BATCH && first + column < WIDTH[0])) continue;
      if constexpr (VECTOR == 4)
        *(float4*)(to + s * X_STRIDE + column) = make_float4(prepared(v[j].v[0]), prepared(v[j].v[1]), prepared(v[j].v[2]), prepared(v[j].v[3]));
      else
        to[s * X_STRIDE + column] = prepared(v[j].v[0]);
    }
  }
}
// The step size, with Adam's correction of its averages' start.
DEVICE float step_size(const Args& p, float learning_rate, i64 iteration) {
  if (!ADAM) return learning_rate;
  const float t = (float)iteration;
  return learning_rate * sqrtf(1.f - powf(BETA_2, t)) / (1.f - powf(BETA_1, t));
}

// Gradient and update of the rows of layer l's kernel that this block keeps, and of its bias, which
// every block computes for itself.
template <int l> DEVICE void improve_rows(char* shared, int rank, int t, bool last_sub, bool first_sub, float rate) {
  constexpr int rows = OWN_ROWS[l], width = WIDTH[l], some = at_most(OWN, 4);
  constexpr int together = rows * width <= 2 * HELPERS ? 1 : 4;
  const float *acts = place<float>(shared, AT_act_in[l]), *deltas = place<float>(shared, AT_d_in[l]);
  float* w = place<float>(shared, AT_w[l]) + rank * rows * W_STRIDE[l];
  float *ms = place<float>(shared, AT_m[l]), *vs = place<float>(shared, AT_v[l]), *gs = place<float>(shared, AT_g[l]);
  if (rank * rows >= WIDTH[l - 1]) return;
  for (int e = t; e < rows / together * width; e += HELPERS) {
    const int c = e % width, row = e / width * together;
    float g[together] = {};
#pragma unroll 4
    for (int s = 0; s < OWNERS * OWN; s += some) {
      float d[some], a[some];
      read<some>(deltas + s / OWN * PADDED[l] * OWN + c * OWN + s % OWN, d);
#pragma unroll
      for (int r = 0; r < together; ++r) {
        read<some>(acts + s / OWN * rows * OWN + (row + r) * OWN + s % OWN, a);
#pragma unroll
        for (int i = 0; i < some; ++i) g[r] = fmaf(a[i], d[i], g[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < together; ++r) {
      const int cell = (row + r) * width + c;
      if (!first_sub) g[r] += gs[cell];
      if (!last_sub) {
        gs[cell] = g[r];
        continue;
      }
      float m = MOMENTS >= 1 ? ms[cell] : 0.f, v = MOMENTS >= 2 ? vs[cell] : 0.f;
      improve(w[(row + r) * W_STRIDE[l] + c], m, v, g[r], rate);
      if (MOMENTS >= 1) ms[cell] = m;
      if (MOMENTS >= 2) vs[cell] = v;
    }
  }
}
template <int l> DEVICE void improve_bias(char* shared, int t, bool last_sub, bool first_sub, float rate) {
  constexpr int some = at_most(OWN, 4);
  const float* deltas = place<float>(shared, AT_d_in[l]);
  float *b = place<float>(shared, AT_b[l]), *ms = place<float>(shared, AT_bm[l]), *vs = place<float>(shared, AT_bv[l]), *gs = place<float>(shared, AT_bg[l]);
  for (int c = HELPERS - 1 - t; c < WIDTH[l]; c += HELPERS) {
    float g = 0.f;
#pragma unroll 4
    for (int s = 0; s < OWNERS * OWN; s += some) {
      float d[some];
      read<some>(deltas + s / OWN * PADDED[l] * OWN + c * OWN + s % OWN, d);
#pragma unroll
      for (int i = 0; i < some; ++i) g += d[i];
    }
    if (!first_sub) g += gs[c];
    if (!last_sub) {
      gs[c] = g;
      continue;
    }
    float m = MOMENTS >= 1 ? ms[c] : 0.f, v = MOMENTS >= 2 ? vs[c] : 0.f;
    improve(b[c], m, v, g, rate);
    if (MOMENTS >= 1) ms[c] = m;
    if (MOMENTS >= 2) vs[c] = v;
  }
}
template <int l> DEVICE void send_weights(char* shared, int rank, int t) {
  constexpr int rows = OWN_ROWS[l];
  if (t >= OWNERS || t == rank || rank * rows >= WIDTH[l - 1]) return;
  float* own = place<float>(shared, AT_w[l]) + rank * rows * W_STRIDE[l];
  send(own, own, rows * W_STRIDE[l] * 4, &barriers(shared).parts, t);
}
template <int l> DEVICE void improve_from(char* shared, int rank, int t, int sub, bool more, float rate) {
  if constexpr (l <= LAYERS) {
    const bool last_sub = sub == SUBS - 1;
    improve_rows<l>(shared, rank, t, last_sub, sub == 0, rate);
    if (BIAS[l]) improve_bias<l>(shared, t, last_sub, sub == 0, rate);
    publish();
    barrier_of_helpers();
    if (last_sub && more) send_weights<l>(shared, rank, t);
    improve_from<l + 1>(shared, rank, t, sub, more, rate);
  }
}

DEVICE void fetch_turn(Fetch& at, const Args& p, float learning_rate, i64 iteration, int turns) {
  fetch_samples(at, p);
  fetch_labels(at, p);
  if (at.t == 0) place<float>(at.shared, AT_alpha)[at.i & 1] = step_size(p, learning_rate, iteration + at.step + 1);
  arrive(&barriers(at.shared).input[at.i & 1]);
  ++at.i;
  if (++at.sub == SUBS) at.sub = 0, ++at.step;
  if (at.i < turns) fetch_index(at, p);
  barrier_of_helpers();
}
DEVICE void help(char* shared, const Args& p, int rank) {
  Barriers& bar = barriers(shared);
  const int t = thread() - COMPUTE, turns = (int)p.steps * SUBS;
  const float learning_rate = *p.learning_rate;
  const i64 iteration = ADAM ? *p.iteration : 0;
  Fetch ahead{shared, rank, t, 0, 0, 0};
  fetch_index(ahead, p);
  barrier_of_helpers();
  fetch_turn(ahead, p, learning_rate, iteration, turns);
  for (int i = 0, sub = 0; i < turns; ++i) {
    MARK_START
    if (ahead.i < turns) fetch_turn(ahead, p, learning_rate, iteration, turns);
    MARK(11)
    wait(&bar.deltas, i & 1);
    MARK(12)
    improve_from<2>(shared, rank, t, sub, i + 1 < turns, place<float>(shared, AT_alpha)[i & 1]);
    arrive(&bar.helped);
    MARK(13)
    sub = sub == SUBS - 1 ? 0 : sub + 1;
  }
}
)cuda";

// Brings everything in, runs both kinds of warps, and writes everything back.
const char* const kernel_entry = R"cuda(
constexpr int THREADS = COMPUTE + HELPERS;
template <class F> DEVICE void each_row(int rank, int l, F visit) {
  for (int e = thread(); e < OWN_ROWS[l] * WIDTH[l]; e += THREADS) {
    const int row = rank * OWN_ROWS[l] + e / WIDTH[l];
    if (row < WIDTH[l - 1]) visit((i64)row * WIDTH[l] + e % WIDTH[l], e);
  }
}
template <int l> DEVICE void load_layer(char* shared, const Args& p, int rank) {
  if constexpr (l <= LAYERS) {
    float* w = place<float>(shared, AT_w[l]);
    for (int e = thread(); e < WIDTH[l - 1] * WIDTH[l]; e += THREADS) w[e / WIDTH[l] * W_STRIDE[l] + e % WIDTH[l]] = p.w[l - 1][e];
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
template <int l> DEVICE void store_layer(char* shared, const Args& p, int rank) {
  if constexpr (l <= LAYERS) {
    each_row(rank, l, [&](i64 to, int e) {
      p.w[l - 1][to] = place<float>(shared, AT_w[l])[(rank * OWN_ROWS[l] + e / WIDTH[l]) * W_STRIDE[l] + e % WIDTH[l]];
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
// The first layer's moments pass through registers to wherever they live.
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
    for (int row = t; row < 2 * ROWS; row += THREADS) place<float>(shared, AT_x)[row * X_STRIDE + K_ROWS] = 1.f;
  load_layer<2>(shared, p, rank);
  for (int l = t + 1; l <= LAYERS; l += THREADS) place<i64>(shared, AT_calls)[l] = p.calls[l - 1] ? *p.calls[l - 1] : 0;
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
// Sums in a fixed order, so that equal runs give equal bits.
DEVICE void store_metrics(char* shared, const Args& p, int rank) {
  double* all = place<double>(shared, AT_metrics);
  if (thread() == 0 && rank < OWNERS) {
    double loss = 0, right = 0;
    for (int s = 0; s < OWN; ++s) loss += place<double>(shared, AT_sums)[2 * s], right += place<double>(shared, AT_sums)[2 * s + 1];
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
KERNEL(THREADS, p) {
  SHARED(shared);
  const int rank = block_rank();
  First first;
  MARK_INIT
  start(shared, p, rank);
  if (thread() < COMPUTE) load_first(shared, p, lane_of(thread(), rank), first);
  barrier_of_block();
  barrier_of_cluster();
  if (thread() < COMPUTE) compute(shared, p, rank, first);
  else help(shared, p, rank);
  barrier_of_block();
  if (thread() < COMPUTE) store_first(shared, p, lane_of(thread(), rank), first);
  store_layer<2>(shared, p, rank);
  store_metrics(shared, p, rank);
  MARK_END
}
)cuda";

}  // namespace stoker::cuda::trainer
