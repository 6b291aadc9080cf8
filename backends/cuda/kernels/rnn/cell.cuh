// Included by every recurrent kernel: the compute type `Acc`, the arguments, and one step of a cell
// forward and backward. CELL: 0 lstm, 1 gru, 2 simple with tanh, 3 simple with relu; G: its number
// of gates.
#pragma once
#include "prelude.cuh"

typedef Compute<T>::type Acc;
struct Arguments {
  const T *x, *kernel, *h, *c, *bias;
  const uint8_t* mask;
  T *sequence, *carries, *gates;
  T *last_h, *last_c;
  const T *of_sequence, *of_last_h, *of_last_c;
  T *of_x, *of_inner, *of_h, *of_c;
  int64_t batch;
  int time;
};
constexpr bool LSTM = CELL == 0, GRU = CELL == 1, RELU = CELL == 3;
#if FAST  // as accurate as TF32 products
__device__ __forceinline__ float sigmoid(float x) { return __fdividef(1.f, 1.f + __expf(-x)); }
__device__ __forceinline__ float hyperbolic(float x) {
  return 1.f - 2.f * __fdividef(1.f, 1.f + __expf(2.f * x));
}
#else
__device__ __forceinline__ float exponential(float x) { return expf(x); }
__device__ __forceinline__ double exponential(double x) { return exp(x); }
__device__ __forceinline__ float hyperbolic(float x) { return tanhf(x); }
__device__ __forceinline__ double hyperbolic(double x) { return tanh(x); }
__device__ __forceinline__ Acc sigmoid(Acc x) { return Acc(1) / (Acc(1) + exponential(-x)); }
#endif

// One unit of a row: `x` and `inner` are the contributions of input and state to each gate, `kept`
// is saved for the backward pass.
__device__ __forceinline__ void step_cell(const Acc (&x)[4], const Acc (&inner)[4], Acc& h, Acc& c,
                                          Acc (&kept)[4]) {
  if (LSTM) {
    for (int g = 0; g < 4; ++g)
      kept[g] = g == 2 ? hyperbolic(x[g] + inner[g]) : sigmoid(x[g] + inner[g]);
    c = kept[1] * c + kept[0] * kept[2];
    h = kept[3] * hyperbolic(c);
  } else if (GRU) {
    const Acc z = sigmoid(x[0] + inner[0]), r = sigmoid(x[1] + inner[1]),
              candidate = hyperbolic(x[2] + r * inner[2]);
    kept[0] = z, kept[1] = r, kept[2] = candidate, kept[3] = inner[2];
    h = z * h + (1 - z) * candidate;
  } else {
    const Acc sum = x[0] + inner[0];
    h = RELU ? (sum < 0 ? Acc(0) : sum) : hyperbolic(sum);
  }
}

// The backward pass: `before` is c before the step (gru: h), `after` c after it (simple: h). On
// return `of_h` is the gradient that bypasses the recurrent product, `of_inner` the one that flows
// into it.
__device__ __forceinline__ void step_back(const Acc (&kept)[4], Acc before, Acc after, Acc& of_h,
                                          Acc& of_c, Acc (&of_x)[4], Acc (&of_inner)[4]) {
  if (LSTM) {
    const Acc i = kept[0], f = kept[1], g = kept[2], o = kept[3], t = hyperbolic(after);
    of_c += of_h * o * (1 - t * t);
    of_x[0] = of_c * g * i * (1 - i);
    of_x[1] = of_c * before * f * (1 - f);
    of_x[2] = of_c * i * (1 - g * g);
    of_x[3] = of_h * t * o * (1 - o);
    of_c *= f;
    of_h = 0;
  } else if (GRU) {
    const Acc z = kept[0], r = kept[1], candidate = kept[2];
    const Acc of_candidate = of_h * (1 - z) * (1 - candidate * candidate);
    of_x[0] = of_h * (before - candidate) * z * (1 - z);
    of_x[1] = of_candidate * kept[3] * r * (1 - r);
    of_x[2] = of_candidate;
    of_h *= z;
  } else {
    of_x[0] = RELU ? (after > 0 ? of_h : Acc(0)) : of_h * (1 - after * after);
    of_h = 0;
  }
  for (int g = 0; g < G; ++g) of_inner[g] = of_x[g] * (GRU && g == 2 ? kept[1] : Acc(1));
}
