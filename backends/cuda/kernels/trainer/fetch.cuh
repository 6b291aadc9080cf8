// Prefetch of samples: the loads for a micro-batch are issued one micro-batch before their values
// are stored in shared memory, so that the latency of global memory is hidden.
#pragma once
#include "trainer/layers.cuh"

constexpr int VECTORS = K_ROWS / VECTOR;  // per sample, in a block
constexpr int FETCHES = (SUB * VECTORS + HELPERS - 1) / HELPERS,
              AHEAD = at_most(FETCHES, COMPUTE_WARPS > 8 ? 8 : 13);  // per helper thread
constexpr int INDICES = (SUB + HELPERS - 1) / HELPERS;
struct Vector {
  Input v[VECTOR];
};
template <int size>
struct Words {
  using type = uint4;
};
template <>
struct Words<4> {
  using type = unsigned;
};
template <>
struct Words<1> {
  using type = unsigned char;
};
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

// A micro-batch in flight.
struct Fetch {
  char* shared;
  int rank, t, i, sub;  // i: micro-batches since the launch began
  i64 step;
  Vector v[AHEAD];
  Label label;
  int index[INDICES];  // of the next micro-batch
};
DEVICE bool exists(const Fetch& at, int sample) {
  return sample < SUB && at.sub * SUB + sample < BATCH;
}
DEVICE int* index_of(const Fetch& at, int micro_batch) {
  return place<int>(at.shared, AT_index) + (micro_batch & 1) * ROWS;
}
DEVICE void move_on(Fetch& at) {
  ++at.i;
  if (++at.sub == SUBS) at.sub = 0, ++at.step;
}
// Loads the row indices of a micro-batch's samples.
DEVICE void ask_index(Fetch& at, const Args& p, int sub, i64 step) {
#pragma unroll
  for (int j = 0; j < INDICES; ++j) {
    const int sample = sub * SUB + at.t + j * HELPERS;
    if (sample >= BATCH) continue;
    at.index[j] =
        GATHERED
            ? (int)*(const i64*)((const char*)p.index + step * p.index_stride + (i64)sample * 8)
            : sample;
  }
}
DEVICE void store_index(const Fetch& at, int micro_batch) {
#pragma unroll
  for (int j = 0; j < INDICES; ++j)
    if (at.t + j * HELPERS < SUB) index_of(at, micro_batch)[at.t + j * HELPERS] = at.index[j];
}

constexpr int LABELS = LOSS == 0 ? 1 : WIDTH[LAYERS];  // per sample
DEVICE Label read_label(const Fetch& at, const Args& p, int e) {
  const Label* y = (const Label*)((const char*)p.y + at.step * p.y_stride);
  return y[(i64)index_of(at, at.i)[at.rank * OWN + e / LABELS] * LABELS + e % LABELS];
}
DEVICE bool has_label(const Fetch& at, int e) {
  return at.rank < OWNERS && e < OWN * LABELS && exists(at, at.rank * OWN + e / LABELS);
}
DEVICE void store_label(const Fetch& at, int e, Label label) {
  const bool known = (i64)label >= 0 && (i64)label < WIDTH[LAYERS];
  if (LOSS == 0)
    place<int>(at.shared, AT_labels)[(at.i & 1) * OWN + e] = known ? (int)label : -1;
  else
    place<float>(at.shared, AT_labels)[(at.i & 1) * OWN * LABELS + e] = (float)label;
}

DEVICE bool ask_vector(const Fetch& at, const Args& p, int j, Vector& v) {
  const int e = j * HELPERS + at.t, s = e / VECTORS,
            column = at.rank % K_SPLITS * K_ROWS + e % VECTORS * VECTOR;
  if (!exists(at, s) || column >= WIDTH[0]) return false;
  v = fetch((const Input*)((const char*)p.x + at.step * p.x_stride) +
            (i64)index_of(at, at.i)[s] * WIDTH[0] + column);
  return true;
}
DEVICE void store_vector(const Fetch& at, int j, const Vector& v) {
  const int e = j * HELPERS + at.t, s = e / VECTORS, column = e % VECTORS * VECTOR;
  if (!exists(at, s) || at.rank % K_SPLITS * K_ROWS + column >= WIDTH[0]) return;
  float* to = place<float>(at.shared, AT_x) + ((at.i & 1) * ROWS + s) * X_STRIDE + column;
  if constexpr (VECTOR == 4)
    *(float4*)to =
        make_float4(prepared(v.v[0]), prepared(v.v[1]), prepared(v.v[2]), prepared(v.v[3]));
  else
    *to = prepared(v.v[0]);
}

// Issues the loads of a micro-batch's samples, whose indices are in shared memory, and of the next
// one's indices.
DEVICE void ask(Fetch& at, const Args& p, int micro_batches) {
#pragma unroll
  for (int j = 0; j < AHEAD; ++j) ask_vector(at, p, j, at.v[j]);
  if (has_label(at, at.t)) at.label = read_label(at, p, at.t);
  const bool last_sub = at.sub == SUBS - 1;
  if (at.i + 1 < micro_batches) ask_index(at, p, last_sub ? 0 : at.sub + 1, at.step + last_sub);
}
DEVICE void store(const Fetch& at, const Args& p) {
  if (at.i >= 2) wait(&barriers(at.shared).freed, at.i & 1);
#pragma unroll
  for (int j = 0; j < AHEAD; ++j) store_vector(at, j, at.v[j]);
  for (int begin = AHEAD; begin < FETCHES; begin += 8) {
    Vector v[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) ask_vector(at, p, begin + j, v[j]);
#pragma unroll
    for (int j = 0; j < 8; ++j) store_vector(at, begin + j, v[j]);
  }
  if (has_label(at, at.t)) store_label(at, at.t, at.label);
  for (int e = at.t + HELPERS; has_label(at, e); e += HELPERS)
    store_label(at, e, read_label(at, p, e));
}
// The step size with Adam's bias correction.
DEVICE float step_size(const Args& p, float learning_rate, i64 iteration) {
  if (!ADAM) return learning_rate;
  const float t = (float)iteration;
  return learning_rate * sqrtf(1.f - powf(BETA_2, t)) / (1.f - powf(BETA_1, t));
}

// Stores a micro-batch's samples in shared memory, and issues the loads of the next one.
DEVICE void fetch_micro_batch(Fetch& at, const Args& p, float learning_rate, i64 iteration,
                              int micro_batches) {
  store(at, p);
  if (at.t == HELPERS - 32)
    place<float>(at.shared, AT_alpha)[at.i & 1] =
        step_size(p, learning_rate, iteration + at.step + 1);
  store_index(at, at.i + 1);
  arrive(&barriers(at.shared).input[at.i & 1]);
  barrier_of_helpers();
  move_on(at);
  if (at.i < micro_batches) ask(at, p, micro_batches);
}
