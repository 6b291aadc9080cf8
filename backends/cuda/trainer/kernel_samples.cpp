#include "trainer/kernel_text.h"

namespace stoker::cuda::trainer {

// What an owner does with its samples: the later layers forward, the loss, and back.
const char* const kernel_samples = R"cuda(
// Where an owner is: which samples of the batch, and with which random numbers.
struct Turn {
  char* shared;
  int rank, t;
  int first;      // of its samples in the batch
  int valid;      // how many of them exist
  int slot;       // which of the two input buffers
  i64 step;       // of this launch
};

template <int l> DEVICE i64 calls_of(const Turn& at) {
  return DROPOUT[l] == 0.f ? 0 : place<i64>(at.shared, AT_calls)[l] + at.step;
}

// Messages of this many numbers to `to` blocks go as single stores if they are few.
DEVICE constexpr bool by_store(int words, int to) { return words / 4 * to <= STORES; }
template <int l> DEVICE constexpr int activation_words() { return OWN_ROWS[l + 1] * OWN; }
template <int l> DEVICE constexpr int activation_readers() { return (WIDTH[l] + OWN_ROWS[l + 1] - 1) / OWN_ROWS[l + 1]; }
template <int l> DEVICE constexpr int delta_words() { return (l == 1 ? UNITS : PADDED[l]) * OWN; }
// All compute threads have stored what is sent next.
template <bool stores> DEVICE void stored() {
  if (!stores) publish();
  barrier_of_compute();
}
template <int l> DEVICE void stored_activations() {
  if constexpr (l < LAYERS) stored<by_store(activation_words<l>(), activation_readers<l>())>();
  else stored<true>();
}
template <int l> DEVICE void stored_deltas() { stored<by_store(delta_words<l>(), CLUSTER)>(); }

template <int words, int to> DEVICE void spread_message(const Turn& at, const float* from, float* there, int step, int repeat) {
  u64* barrier = &barriers(at.shared).deltas;
  if constexpr (by_store(words, to)) {
#pragma unroll
    for (int begin = 0; begin < words / 4 * to; begin += COMPUTE) {
      const int e = begin + at.t, rank = e / (words / 4), i = e % (words / 4) * 4;
      if (e < words / 4 * to) send_four(*(const float4*)(from + rank / repeat * step + i), there + i, barrier, rank);
    }
  } else {
    if (at.t < to) send(from + at.t / repeat * step, there, words * 4, barrier, at.t);
  }
}
// To each block the activations that its rows of the next layer multiply.
template <int l> DEVICE void send_activations(const Turn& at) {
  constexpr int words = activation_words<l>();
  spread_message<words, activation_readers<l>()>(at, place<float>(at.shared, AT_a[l]), place<float>(at.shared, AT_act_in[l + 1]) + at.rank * words, words, 1);
}
template <int l> DEVICE void send_deltas(const Turn& at) {
  constexpr int words = delta_words<l>();
  const float* from = place<float>(at.shared, AT_d[l]);
  if (l == 1)
    spread_message<words, CLUSTER>(at, from, place<float>(at.shared, AT_delta_in) + at.rank * DELTA_STRIDE, words, K_SPLITS);
  else
    spread_message<words, CLUSTER>(at, from, place<float>(at.shared, AT_d_in[l]) + at.rank * words, 0, 1);
}

DEVICE void first_layer(const Turn& at) {
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
// Column c of layer l for some samples, the sum split over neighbouring lanes.
template <int l> DEVICE void forward(const Turn& at) {
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
#pragma unroll 8
    for (int k = lane; k < WIDTH[l - 1]; k += lanes) {
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
        z[c * OWN + s + i] = finish<l>(sum[i] + (BIAS[l] ? b[c] : 0.f), at.first + s + i, c, calls_of<l>(at));
  }
  stored_activations<l>();
}
template <int l> DEVICE void forward_from(const Turn& at) {
  if constexpr (l <= LAYERS) {
    send_activations<l - 1>(at);
    forward<l>(at);
    forward_from<l + 1>(at);
  }
}

DEVICE float lane_max(float v) {
#pragma unroll
  for (int mask = 16; mask; mask /= 2) v = fmaxf(v, from_lane_xor(v, mask));
  return v;
}
DEVICE float lane_sum(float v) {
#pragma unroll
  for (int mask = 16; mask; mask /= 2) v += from_lane_xor(v, mask);
  return v;
}
constexpr int OUTPUTS = WIDTH[LAYERS], OUTPUTS_OF_LANE = (OUTPUTS + 31) / 32;
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
// Loss, whether it was right, and the slope at the last layer's sums: a warp does one sample.
struct Verdict {
  float loss, right, share, sum;  // the loss is `loss` + share log(sum)
};
DEVICE Verdict judge(const float (&z)[OUTPUTS_OF_LANE], const float (&target)[OUTPUTS_OF_LANE], int label, int lane, float (&slopes)[OUTPUTS_OF_LANE]) {
  constexpr float lowest = -3.402823466e38f;
  Verdict verdict{0.f, 0.f, 0.f, 1.f};
  if constexpr (LOSS <= 1) {
    float most = lowest, sum = 0.f, picked = 0.f, share = 0.f, top = lowest;
#pragma unroll
    for (int j = 0; j < OUTPUTS_OF_LANE; ++j) most = fmaxf(most, z[j]);
    most = lane_max(most);
#pragma unroll
    for (int j = 0; j < OUTPUTS_OF_LANE; ++j) {
      const bool real = lane + 32 * j < OUTPUTS;
      slopes[j] = real ? __expf(z[j] - most) : 0.f;
      sum += slopes[j];
      if (!real) continue;
      picked += LOSS == 0 ? (lane + 32 * j == label ? z[j] - most : 0.f) : target[j] * (z[j] - most);
      if (LOSS == 1) share += target[j], top = fmaxf(top, target[j]);
    }
    sum = lane_sum(sum);
    picked = lane_sum(picked);
    share = LOSS == 0 ? 1.f : lane_sum(share);
    verdict.loss = LOSS == 0 && label < 0 ? from_bits(0x7fc00000u) : -picked;
    verdict.share = share, verdict.sum = sum;
    const float scale = share * __fdividef(1.f, sum);
#pragma unroll
    for (int j = 0; j < OUTPUTS_OF_LANE; ++j)
      slopes[j] = slopes[j] * scale - (LOSS == 0 ? (lane + 32 * j == label ? 1.f : 0.f) : target[j]);
    if (ACCURACY_METRIC) verdict.right = class_of(z, most) == (LOSS == 0 ? label : class_of(target, lane_max(top)));
  } else {
    float loss = 0.f, right = 0.f;
#pragma unroll
    for (int j = 0; j < OUTPUTS_OF_LANE; ++j) {
      slopes[j] = 0.f;
      if (lane + 32 * j >= OUTPUTS) continue;
      if (LOSS == 2) {
        const float size = z[j] < 0.f ? -z[j] : z[j];
        loss += fmaxf(z[j], 0.f) - z[j] * target[j] + log1pf(__expf(-size));
        slopes[j] = 1.f / (1.f + __expf(-z[j])) - target[j];
        right += target[j] == (z[j] > 0.f ? 1.f : 0.f) ? 1.f : 0.f;
      } else {
        const float y = activate<LAYERS>(z[j]), error = y - target[j];
        loss += error * error;
        slopes[j] = 2.f * error * slope<LAYERS>(y);
      }
    }
    verdict.loss = lane_sum(loss) * (1.f / OUTPUTS);
    verdict.right = lane_sum(right) * (1.f / OUTPUTS);
#pragma unroll
    for (int j = 0; j < OUTPUTS_OF_LANE; ++j) slopes[j] *= 1.f / OUTPUTS;
  }
  return verdict;
}
DEVICE Verdict loss_of(const Turn& at, int s) {
  const int lane = at.t & 31;
  const float *logits = place<float>(at.shared, AT_a[LAYERS]), *targets = place<float>(at.shared, AT_labels) + (at.slot * OWN + s) * OUTPUTS;
  float* d = place<float>(at.shared, AT_d[LAYERS]);
  float z[OUTPUTS_OF_LANE], target[OUTPUTS_OF_LANE], slopes[OUTPUTS_OF_LANE];
#pragma unroll
  for (int j = 0; j < OUTPUTS_OF_LANE; ++j) {
    const int c = lane + 32 * j;
    z[j] = c < OUTPUTS ? logits[c * OWN + s] : -3.402823466e38f;
    target[j] = LOSS != 0 && c < OUTPUTS ? targets[c] : -1.f;
  }
  const int label = LOSS == 0 ? place<int>(at.shared, AT_labels)[at.slot * OWN + s] : 0;
  const Verdict verdict = judge(z, target, label, lane, slopes);
  const bool real = s < at.valid;
#pragma unroll
  for (int j = 0; j < OUTPUTS_OF_LANE; ++j) {
    const float slope = real ? slopes[j] * LOSS_SCALE : 0.f;
    if (lane + 32 * j < OUTPUTS) d[(lane + 32 * j) * OWN + s] = LAYERS == 1 ? round_tf32(slope) : slope;
  }
  return verdict;
}
DEVICE void count(const Turn& at, int s, const Verdict& verdict) {
  if ((at.t & 31) != 0 || s >= at.valid) return;
  double* sums = place<double>(at.shared, AT_sums) + 2 * s;
  sums[0] += verdict.loss + verdict.share * logf(verdict.sum);
  sums[1] += verdict.right;
}
// A warp's last verdict is counted later, when there is time.
DEVICE Verdict losses(const Turn& at) {
  Verdict verdict;
  for (int s = at.t >> 5; s < OWN; s += COMPUTE_WARPS) {
    verdict = loss_of(at, s);
    if (s + COMPUTE_WARPS < OWN) count(at, s, verdict);
  }
  stored_deltas<LAYERS>();
  return verdict;
}

DEVICE constexpr int samples_of_task(int width) {
  int some = at_most(OWN, 4);
  while (some > 1 && width * (OWN / some) < COMPUTE) some /= 2;
  return some;
}
// The slopes of layer l - 1's sums from those of layer l's.
template <int l> DEVICE void backward(const Turn& at) {
  constexpr int some = samples_of_task(WIDTH[l - 1]), tasks = WIDTH[l - 1] * (OWN / some);
  const float *a = place<float>(at.shared, AT_a[l - 1]), *w = place<float>(at.shared, AT_w[l]), *d = place<float>(at.shared, AT_d[l]);
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
      const float value = sum[i] * slope<l - 1>(a[n * OWN + s + i]);
      to[n * OWN + s + i] = l == 2 ? round_tf32(value) : value;
    }
  }
  stored_deltas<l - 1>();
}
template <int l> DEVICE void backward_from(const Turn& at) {
  send_deltas<l>(at);
  if constexpr (l > 1) {
    backward<l>(at);
    backward_from<l - 1>(at);
  }
}

DEVICE void finish_samples(const Turn& at) {
  first_layer(at);
  MARK(1)
  forward_from<2>(at);
  MARK(2)
  const Verdict verdict = losses(at);
  MARK(3)
  backward_from<LAYERS>(at);
  MARK(4)
  const int s = (OWN - 1) / COMPUTE_WARPS * COMPUTE_WARPS + (at.t >> 5);
  if (s < OWN) count(at, s, verdict);
}
)cuda";

}  // namespace stoker::cuda::trainer
