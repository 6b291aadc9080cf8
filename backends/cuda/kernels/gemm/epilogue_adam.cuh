#pragma once
#include "gemm/arguments.cuh"

template <int V>
struct Rest {
  Pack<Out, V> w, m, v;
  Acc step;
};
template <int V>
__device__ __forceinline__ Rest<V> rest_of(const Arguments& x, int64_t row, int64_t column) {
  const int64_t at = row * x.columns + column;
  return {pack_at<V>(x.w + at), pack_at<V>(x.m + at), pack_at<V>(x.v + at), load(*x.step)};
}
template <int V>
__device__ __forceinline__ void adam(Rest<V>& rest, const Acc (&gradients)[V]) {
#pragma unroll
  for (int i = 0; i < V; ++i) {
    const Acc g = gradients[i], m = load(rest.m.at[i]), v = load(rest.v.at[i]);
    const Acc new_m = m + (g - m) * Acc(TAKE_M), new_v = v + (g * g - v) * Acc(TAKE_V);
    rest.w.at[i] =
        store<Out>(load(rest.w.at[i]) - new_m * rest.step / (sqrt(new_v) + Acc(EPSILON)));
    rest.m.at[i] = store<Out>(new_m);
    rest.v.at[i] = store<Out>(new_v);
  }
}
template <int V>
__device__ __forceinline__ void finish(const Arguments& x, Rest<V> rest, const Acc (&values)[V],
                                       int64_t row, int64_t column) {
  const int64_t at = row * x.columns + column;
  adam(rest, values);
  *(Pack<Out, V>*)(x.new_w + at) = rest.w;
  *(Pack<Out, V>*)(x.new_m + at) = rest.m;
  *(Pack<Out, V>*)(x.new_v + at) = rest.v;
}
__device__ __forceinline__ void finish_bias(const Arguments& x, Acc sum, int64_t column) {
  Rest<1> rest = {pack_at<1>(x.bias_w + column), pack_at<1>(x.bias_m + column),
                  pack_at<1>(x.bias_v + column), load(*x.step)};
  const Acc gradient[1] = {sum};
  adam(rest, gradient);
  x.new_bias_w[column] = rest.w.at[0];
  x.new_bias_m[column] = rest.m.at[0];
  x.new_bias_v[column] = rest.v.at[0];
}
