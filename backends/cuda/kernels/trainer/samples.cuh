// An owner's work on its samples: later layers forward, the loss, and backward.
#pragma once
#include "trainer/layers.cuh"

// The samples that an owner is processing, and the position for its random numbers.
struct MicroBatch {
  char* shared;
  int rank, t;
  int first;  // index of its first sample in the batch
  int valid;  // how many of them exist
  int slot;   // which of the two input buffers
  i64 step;   // within this launch
};

template <int l>
DEVICE i64 calls_of(const MicroBatch& at) {
  return DROPOUT[l] == 0.f ? 0 : place<i64>(at.shared, AT_calls)[l] + at.step;
}

// Messages of this many numbers to `to` blocks are sent by single stores if they are few.
DEVICE constexpr bool by_store(int words, int to) { return words / 4 * to <= 2048; }
template <int l>
DEVICE constexpr int activation_words() {
  return OWN_ROWS[l + 1] * OWN;
}
template <int l>
DEVICE constexpr int activation_readers() {
  return (WIDTH[l] + OWN_ROWS[l + 1] - 1) / OWN_ROWS[l + 1];
}
template <int l>
DEVICE constexpr int delta_words() {
  return (l == 1 ? UNITS : PADDED[l]) * OWN;
}
// Waits until all compute threads have stored the data that is sent next.
template <bool stores>
DEVICE void stored() {
  if (!stores) publish();
  barrier_of_compute();
}
template <int l>
DEVICE void stored_activations() {
  if constexpr (l < LAYERS)
    stored<by_store(activation_words<l>(), activation_readers<l>())>();
  else
    stored<true>();
}
template <int l>
DEVICE void stored_deltas() {
  stored<by_store(delta_words<l>(), CLUSTER)>();
}

// By `threads` threads, of which this is t: block `rank` gets the words at from + rank / repeat *
// step.
template <int words, int to, int threads>
DEVICE void spread(const float* from, float* there, int step, int repeat, u64* barrier, int t,
                   int except) {
  if constexpr (by_store(words, to)) {
#pragma unroll
    for (int begin = 0; begin < words / 4 * to; begin += threads) {
      const int e = begin + t, rank = e / (words / 4), i = e % (words / 4) * 4;
      if (e < words / 4 * to && rank != except)
        send_four(*(const float4*)(from + rank / repeat * step + i), there + i, barrier, rank);
    }
  } else if (t % 32 == 0) {
    for (int rank = t / 32; rank < to; rank += threads / 32)
      if (rank != except) send(from + rank / repeat * step, there, words * 4, barrier, rank);
  }
}
template <int words, int to>
DEVICE void spread_message(const MicroBatch& at, const float* from, float* there, int step,
                           int repeat) {
  spread<words, to, COMPUTE>(from, there, step, repeat, &barriers(at.shared).deltas, at.t, -1);
}
// Sends each block the activations that its rows of the next layer multiply.
template <int l>
DEVICE void send_activations(const MicroBatch& at) {
  constexpr int words = activation_words<l>();
  spread_message<words, activation_readers<l>()>(
      at, place<float>(at.shared, AT_a[l]),
      place<float>(at.shared, AT_act_in[l + 1]) + at.rank * words, words, 1);
}
template <int l>
DEVICE void send_deltas(const MicroBatch& at) {
  constexpr int words = delta_words<l>();
  const float* from = place<float>(at.shared, AT_d[l]);
  if (l == 1)
    spread_message<words, CLUSTER>(
        at, from, place<float>(at.shared, AT_delta_in) + at.rank * DELTA_STRIDE, words, K_SPLITS);
  else
    spread_message<words, CLUSTER>(at, from, place<float>(at.shared, AT_d_in[l]) + at.rank * words,
                                   0, 1);
}

DEVICE void first_layer(const MicroBatch& at) {
  const float* part = place<float>(at.shared, AT_part);
  float* a = place<float>(at.shared, AT_a[1]);
#pragma unroll
  for (int begin = 0; begin < WIDTH[1] * OWN; begin += COMPUTE) {
    const int e = begin + at.t;
    if (WIDTH[1] * OWN % COMPUTE && e >= WIDTH[1] * OWN) break;
    const int s = e / WIDTH[1], n = e % WIDTH[1];
    const float* from = part + (n / UNITS * K_SPLITS * OWN + s) * UNITS + n % UNITS;
    float z = 0.f;
#pragma unroll
    for (int k = 0; k < K_SPLITS; ++k) z += from[k * OWN * UNITS];
    a[n * OWN + s] = finish<1>(z, at.first + s, n, calls_of<1>(at));
  }
  stored_activations<1>();
}

DEVICE constexpr int lanes_of_dot(int tasks, int length) {
  int lanes = 1;
  while (lanes < 32 && tasks * lanes * 2 <= COMPUTE && lanes < length) lanes *= 2;
  return lanes;
}
// Column c of layer l for some samples; the sum is split over neighbouring lanes.
template <int l>
DEVICE void forward(const MicroBatch& at) {
  constexpr int some = at_most(OWN, 4), columns = WIDTH[l] * (OWN / some);
  constexpr int lanes = lanes_of_dot(columns, WIDTH[l - 1]), tasks = columns * lanes;
  const float *a = place<float>(at.shared, AT_a[l - 1]), *w = place<float>(at.shared, AT_w[l]);
  const float* b = place<float>(at.shared, AT_b[l]);
  float* z = place<float>(at.shared, AT_a[l]);
  for (int begin = at.t & ~31; begin < tasks; begin += COMPUTE) {
    const int e = begin + (at.t & 31), lane = e % lanes;
    const bool real = e < tasks;
    const int c = real ? e / lanes % WIDTH[l] : 0, s = real ? e / (lanes * WIDTH[l]) * some : 0;
    float sum[some] = {};
#pragma unroll 16
    for (int begin_k = 0; begin_k < WIDTH[l - 1]; begin_k += lanes) {
      const int k = begin_k + lane;
      if (WIDTH[l - 1] % lanes && k >= WIDTH[l - 1]) break;
      float x[some];
      read<some>(a + k * OWN + s, x);
      const float weight = w[k * W_STRIDE[l] + c];
#pragma unroll
      for (int i = 0; i < some; ++i) sum[i] = fmaf(x[i], weight, sum[i]);
    }
#pragma unroll
    for (int mask = 1; mask < lanes; mask *= 2)
#pragma unroll
      for (int i = 0; i < some; ++i) sum[i] += from_lane_xor(sum[i], mask);
#pragma unroll
    for (int i = 0; i < some; ++i)
      if (real && lane == i % lanes)
        z[c * OWN + s + i] =
            finish<l>(sum[i] + (BIAS[l] ? b[c] : 0.f), at.first + s + i, c, calls_of<l>(at));
  }
  stored_activations<l>();
}
template <int l>
DEVICE void forward_from(const MicroBatch& at) {
  if constexpr (l <= LAYERS) {
    send_activations<l - 1>(at);
    forward<l>(at);
    forward_from<l + 1>(at);
  }
}

constexpr int OUTPUTS = WIDTH[LAYERS], OUTPUTS_OF_LANE = (OUTPUTS + 31) / 32;
constexpr int FIRST_MASK = OUTPUTS <= 8 ? 4 : OUTPUTS <= 16 ? 8 : 16;  // lanes beyond are empty
DEVICE float lane_max(float v) {
#pragma unroll
  for (int mask = FIRST_MASK; mask; mask /= 2) v = fmaxf(v, from_lane_xor(v, mask));
  return v;
}
DEVICE float lane_sum(float v) {
#pragma unroll
  for (int mask = FIRST_MASK; mask; mask /= 2) v += from_lane_xor(v, mask);
  return v;
}
// The lowest class with this value.
DEVICE int class_of(const float (&v)[OUTPUTS_OF_LANE], float value) {
  int found = -1;
#pragma unroll
  for (int j = OUTPUTS_OF_LANE - 1; j >= 0; --j) {
    const unsigned lanes = lanes_where(v[j] == value);
    if (lanes) found = j * 32 + __ffs(lanes) - 1;
  }
  return found;
}
// A warp's results for its sample: gradients with respect to the last layer's pre-activations, and
// inputs of the metrics, which are computed later.
struct SampleLoss {
  float z[OUTPUTS_OF_LANE], target[OUTPUTS_OF_LANE], gradients[OUTPUTS_OF_LANE];
  float most, sum, share, partial;  // partial: this lane's part of the loss
  int label;
};
DEVICE void classification_loss(SampleLoss& v, int lane) {
  v.most = v.z[0], v.sum = 0.f, v.share = 0.f, v.partial = 0.f;
#pragma unroll
  for (int j = 1; j < OUTPUTS_OF_LANE; ++j) v.most = fmaxf(v.most, v.z[j]);
  v.most = lane_max(v.most);
#pragma unroll
  for (int j = 0; j < OUTPUTS_OF_LANE; ++j) {
    const bool real = lane + 32 * j < OUTPUTS;
    v.gradients[j] = real ? __expf(v.z[j] - v.most) : 0.f;
    v.sum += v.gradients[j];
    if (LOSS == 0) v.target[j] = lane + 32 * j == v.label ? 1.f : 0.f;
    if (real)
      v.share += v.target[j],
          v.partial -= v.target[j] == 0.f ? 0.f : v.target[j] * (v.z[j] - v.most);
  }
  v.sum = lane_sum(v.sum);
  // An invalid label makes its sample's loss and gradients NaN.
  v.share = LOSS != 0 ? lane_sum(v.share) : v.label < 0 ? from_bits(0x7fc00000u) : 1.f;
  const float scale = v.share * __fdividef(1.f, v.sum);
#pragma unroll
  for (int j = 0; j < OUTPUTS_OF_LANE; ++j) v.gradients[j] = v.gradients[j] * scale - v.target[j];
}
DEVICE void regression_loss(SampleLoss& v, int lane) {
  v.partial = 0.f;
#pragma unroll
  for (int j = 0; j < OUTPUTS_OF_LANE; ++j) {
    v.gradients[j] = 0.f;
    if (lane + 32 * j >= OUTPUTS) continue;
    if (LOSS == 2) {
      const float size = v.z[j] < 0.f ? -v.z[j] : v.z[j];
      v.partial += fmaxf(v.z[j], 0.f) - v.z[j] * v.target[j] + log1pf(__expf(-size));
      v.gradients[j] = (1.f / (1.f + __expf(-v.z[j])) - v.target[j]) * (1.f / OUTPUTS);
    } else {
      const float y = activate<LAYERS>(v.z[j]), error = y - v.target[j];
      v.partial += error * error;
      v.gradients[j] = 2.f * error * derivative<LAYERS>(y) * (1.f / OUTPUTS);
    }
  }
}
DEVICE SampleLoss loss_of(const MicroBatch& at, int s) {
  const int lane = at.t & 31;
  const float *logits = place<float>(at.shared, AT_a[LAYERS]),
              *targets = place<float>(at.shared, AT_labels) + (at.slot * OWN + s) * OUTPUTS;
  float* d = place<float>(at.shared, AT_d[LAYERS]);
  SampleLoss v;
#pragma unroll
  for (int j = 0; j < OUTPUTS_OF_LANE; ++j) {
    const int c = lane + 32 * j;
    v.z[j] = c < OUTPUTS ? logits[c * OWN + s] : -3.402823466e38f;
    v.target[j] = LOSS != 0 && c < OUTPUTS ? targets[c] : -1.f;
  }
  v.label = LOSS == 0 ? place<int>(at.shared, AT_labels)[at.slot * OWN + s] : 0;
  if (LOSS <= 1)
    classification_loss(v, lane);
  else
    regression_loss(v, lane);
#pragma unroll
  for (int j = 0; j < OUTPUTS_OF_LANE; ++j) {
    const float gradient = s < at.valid ? v.gradients[j] * LOSS_SCALE : 0.f;
    if (lane + 32 * j < OUTPUTS)
      d[(lane + 32 * j) * OWN + s] = LAYERS == 1 ? round_tf32(gradient) : gradient;
  }
  return v;
}
DEVICE float is_correct(const SampleLoss& v, int lane) {
  if (!ACCURACY_METRIC) return 0.f;
  if (LOSS == 0) return class_of(v.z, v.most) == v.label ? 1.f : 0.f;
  float value = LOSS == 1 ? -3.402823466e38f : 0.f;
#pragma unroll
  for (int j = 0; j < OUTPUTS_OF_LANE; ++j) {
    if (lane + 32 * j >= OUTPUTS) continue;
    if (LOSS == 1)
      value = fmaxf(value, v.target[j]);
    else
      value += v.target[j] == (v.z[j] > 0.f ? 1.f : 0.f) ? 1.f : 0.f;
  }
  return LOSS == 1 ? (class_of(v.z, v.most) == class_of(v.target, lane_max(value)) ? 1.f : 0.f)
                   : lane_sum(value) * (1.f / OUTPUTS);
}
DEVICE void count(const MicroBatch& at, int s, const SampleLoss& v) {
  const int lane = at.t & 31;
  const float right = is_correct(v, lane), part = lane_sum(v.partial);
  const float loss = LOSS <= 1 ? part + v.share * logf(v.sum) : part * (1.f / OUTPUTS);
  if (lane != 0 || s >= at.valid) return;
  double* sums = place<double>(at.shared, AT_sums) + 2 * s;
  sums[0] += loss;
  sums[1] += right;
}
// The loss of a warp's last sample is added to the metrics later, when there is time.
DEVICE SampleLoss losses(const MicroBatch& at) {
  SampleLoss last;
  for (int s = at.t >> 5; s < OWN; s += COMPUTE_WARPS) {
    last = loss_of(at, s);
    if (s + COMPUTE_WARPS < OWN) count(at, s, last);
  }
  stored_deltas<LAYERS>();
  return last;
}

DEVICE constexpr int samples_of_task(int width) {
  int some = at_most(OWN, 4);
  while (some > 1 && width * (OWN / some) < COMPUTE) some /= 2;
  return some;
}
// The gradients of layer l - 1's pre-activations from those of layer l.
template <int l>
DEVICE void backward(const MicroBatch& at) {
  constexpr int some = samples_of_task(WIDTH[l - 1]), tasks = WIDTH[l - 1] * (OWN / some);
  const float *a = place<float>(at.shared, AT_a[l - 1]), *w = place<float>(at.shared, AT_w[l]),
              *d = place<float>(at.shared, AT_d[l]);
  float* to = place<float>(at.shared, AT_d[l - 1]);
  for (int e = at.t; e < tasks; e += COMPUTE) {
    const int n = e % WIDTH[l - 1], s = e / WIDTH[l - 1] * some;
    float sum[some] = {};
#pragma unroll 10
    for (int c = 0; c < WIDTH[l]; ++c) {
      float x[some];
      read<some>(d + c * OWN + s, x);
      const float weight = w[n * W_STRIDE[l] + c];
#pragma unroll
      for (int i = 0; i < some; ++i) sum[i] = fmaf(x[i], weight, sum[i]);
    }
#pragma unroll
    for (int i = 0; i < some; ++i) {
      const float value = sum[i] * derivative<l - 1>(a[n * OWN + s + i]);
      to[n * OWN + s + i] = l == 2 ? round_tf32(value) : value;
    }
  }
  stored_deltas<l - 1>();
}
template <int l>
DEVICE void backward_from(const MicroBatch& at) {
  send_deltas<l>(at);
  if constexpr (l > 1) {
    backward<l>(at);
    backward_from<l - 1>(at);
  }
}

DEVICE void finish_samples(const MicroBatch& at) {
  first_layer(at);
  forward_from<2>(at);
  const SampleLoss last = losses(at);
  backward_from<LAYERS>(at);
  const int s = (OWN - 1) / COMPUTE_WARPS * COMPUTE_WARPS + (at.t >> 5);
  if (s < OWN) count(at, s, last);
}
