#pragma once
#include "prelude.cuh"

struct Arguments {
  const In *a, *b;
  const Out *bias, *mask;
  Out* out;
  const Out *w, *m, *v, *step;
  Out *new_w, *new_m, *new_v;
  const Out *bias_w, *bias_m, *bias_v;
  Out *new_bias_w, *new_bias_m, *new_bias_v;
  void* partial;
  int64_t rows, columns, inner, batch;
  int32_t tiles_across, depth;
};
template <class T, int V>
struct alignas(V * sizeof(T)) Pack {
  T at[V];
};
template <int V, class T>
__device__ __forceinline__ Pack<T, V> pack_at(const T* p) {
  return *(const Pack<T, V>*)p;
}
