#pragma once
#include "prelude.cuh"

// One block per sample, one thread per state. The states are the labels with a blank (class 0)
// before, between and after them; a path stays, advances by one, or skips a blank between two
// different labels. A class's probability is summed by one thread, in state order.
typedef Compute<element_t>::type value_t;

__device__ value_t never() { return value_t(-INFINITY_F); }
__device__ value_t log_add(value_t a, value_t b) {
  const value_t top = a > b ? a : b;
  return top == never() ? top : top + log1p(exp((a > b ? b : a) - top));
}
__device__ int label(const index_t* labels, int s) { return s % 2 == 0 ? 0 : int(labels[s / 2]); }
__device__ bool skips_to(const index_t* labels, int s) {
  return s % 2 == 1 && s >= 3 && labels[s / 2] != labels[s / 2 - 1];
}

extern "C" __global__ void __launch_bounds__(128)
    ctc_loss(const index_t* all_labels, const element_t* all_log_p, element_t* loss,
             element_t* all_posterior, value_t* scratch, int length, int times, int classes) {
  begin_kernel();
  const index_t* labels = all_labels + blockIdx.x * int64_t(length);
  const element_t* log_p = all_log_p + blockIdx.x * int64_t(times) * classes;
  element_t* posterior = all_posterior + blockIdx.x * int64_t(times) * classes;
  const int most = 2 * length + 1;
  value_t* alpha = scratch + blockIdx.x * int64_t(times + 2) * most;
  value_t* beta = alpha + int64_t(times) * most;  // of this time and the next one
  __shared__ int count, known;
  if (threadIdx.x == 0) {
    count = 0;
    known = 1;
    for (int i = 0; i < length; ++i) count += labels[i] != 0;
    for (int i = 0; i < count; ++i)
      if (int64_t(labels[i]) < 0 || int64_t(labels[i]) >= classes) known = 0;
  }
  for (int64_t i = threadIdx.x; i < int64_t(times) * classes; i += 128)
    posterior[i] = store<element_t>(value_t(0));
  __syncthreads();
  const int states = 2 * count + 1;
  if (!known || times == 0) {
    if (threadIdx.x == 0)
      loss[blockIdx.x] = store<element_t>(known && count == 0 ? value_t(0)
                                          : known             ? -never()
                                                              : never() - never());
    return;
  }
  for (int t = 0; t < times; ++t) {
    const value_t* before = alpha + int64_t(t - 1) * most;
    for (int s = threadIdx.x; s < states; s += 128) {
      value_t sum = s < 2 ? value_t(0) : never();
      if (t > 0) {
        sum = s > 0 ? log_add(before[s], before[s - 1]) : before[s];
        if (skips_to(labels, s)) sum = log_add(sum, before[s - 2]);
      }
      alpha[int64_t(t) * most + s] = sum + load(log_p[int64_t(t) * classes + label(labels, s)]);
    }
    __syncthreads();
  }
  const value_t* last = alpha + int64_t(times - 1) * most;
  const value_t total = count == 0 ? last[0] : log_add(last[states - 1], last[states - 2]);
  if (threadIdx.x == 0) loss[blockIdx.x] = store<element_t>(-total);
  if (total == never()) return;
  for (int t = times - 1; t >= 0; --t) {
    value_t* now = beta + (t % 2) * most;
    const value_t* after = beta + ((t + 1) % 2) * most;
    const element_t* next_p = log_p + int64_t(t + 1) * classes;
    for (int s = threadIdx.x; s < states; s += 128) {
      value_t sum = s >= states - 2 ? value_t(0) : never();
      if (t + 1 < times) {
        sum = after[s] + load(next_p[label(labels, s)]);
        if (s + 1 < states) sum = log_add(sum, after[s + 1] + load(next_p[label(labels, s + 1)]));
        if (s + 2 < states && skips_to(labels, s + 2))
          sum = log_add(sum, after[s + 2] + load(next_p[label(labels, s + 2)]));
      }
      now[s] = sum;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < classes; c += 128) {
      value_t sum = 0;
      for (int s = c == 0 ? 0 : 1; s < states; s += 2)
        if (label(labels, s) == c) sum += exp(alpha[int64_t(t) * most + s] + now[s] - total);
      posterior[int64_t(t) * classes + c] = store<element_t>(sum);
    }
    __syncthreads();
  }
}
