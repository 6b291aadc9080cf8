// The helper warps: they prefetch samples, and update the later layers.
#pragma once
#include "trainer/fetch.cuh"
#include "trainer/samples.cuh"

// Gradient and update of the rows of layer l's kernel that this block owns, and of its bias, which
// every block computes redundantly.
template <int l>
DEVICE void improve_rows(char* shared, int rank, int t, bool last_sub, bool first_sub, float rate) {
  constexpr int rows = OWN_ROWS[l], width = WIDTH[l], some = at_most(OWN, 4);
  constexpr int together = rows * width <= 2 * HELPERS ? 1 : 4;
  const float *acts = place<float>(shared, AT_act_in[l]),
              *deltas = place<float>(shared, AT_d_in[l]);
  float* w = place<float>(shared, AT_w[l]) + rank * rows * W_STRIDE[l];
  float *ms = place<float>(shared, AT_m[l]), *vs = place<float>(shared, AT_v[l]),
        *gs = place<float>(shared, AT_g[l]);
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
template <int l>
DEVICE void improve_bias(char* shared, int t, bool last_sub, bool first_sub, float rate) {
  constexpr int some = at_most(OWN, 4);
  const float* deltas = place<float>(shared, AT_d_in[l]);
  float *b = place<float>(shared, AT_b[l]), *ms = place<float>(shared, AT_bm[l]),
        *vs = place<float>(shared, AT_bv[l]), *gs = place<float>(shared, AT_bg[l]);
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
template <int l>
DEVICE void send_weights(char* shared, int rank, int t) {
  constexpr int words = OWN_ROWS[l] * W_STRIDE[l];
  if (rank * OWN_ROWS[l] >= WIDTH[l - 1]) return;
  float* own = place<float>(shared, AT_w[l]) + rank * words;
  spread<words, OWNERS, HELPERS>(own, own, 0, 1, &barriers(shared).parts, t, rank);
}
template <int l>
DEVICE void improve_from(char* shared, int rank, int t, int sub, bool more, float rate) {
  if constexpr (l <= LAYERS) {
    const bool last_sub = sub == SUBS - 1;
    improve_rows<l>(shared, rank, t, last_sub, sub == 0, rate);
    if (BIAS[l]) improve_bias<l>(shared, t, last_sub, sub == 0, rate);
    if (!by_store(OWN_ROWS[l] * W_STRIDE[l], OWNERS)) publish();
    barrier_of_helpers();
    if (last_sub && more) send_weights<l>(shared, rank, t);
    improve_from<l + 1>(shared, rank, t, sub, more, rate);
  }
}

DEVICE void help(char* shared, const Args& p, int rank) {
  Barriers& bar = barriers(shared);
  const int t = thread() - COMPUTE, micro_batches = (int)p.steps * SUBS;
  const float learning_rate = *p.learning_rate;
  const i64 iteration = ADAM ? *p.iteration : 0;
  Fetch ahead;
  ahead.shared = shared, ahead.rank = rank, ahead.t = t, ahead.i = ahead.sub = 0, ahead.step = 0;
  ask_index(ahead, p, 0, 0);
  store_index(ahead, 0);
  barrier_of_helpers();
  ask(ahead, p, micro_batches);
  fetch_micro_batch(ahead, p, learning_rate, iteration, micro_batches);
  for (int i = 0, sub = 0; i < micro_batches; ++i) {
    if (ahead.i < micro_batches)
      fetch_micro_batch(ahead, p, learning_rate, iteration, micro_batches);
    wait(&bar.deltas, i & 1);
    improve_from<2>(shared, rank, t, sub, i + 1 < micro_batches,
                    place<float>(shared, AT_alpha)[i & 1]);
    arrive(&bar.helped);
    sub = sub == SUBS - 1 ? 0 : sub + 1;
  }
}
