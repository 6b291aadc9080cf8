#pragma once
#include "prelude.cuh"

// Vectorised loads and stores of several contiguous elements.
template <class T, int n>
struct alignas(sizeof(T) * n) Vec {
  T at[n];
};
template <int n, class T>
__device__ __forceinline__ Vec<T, n> load_vector(const T* from) {
  return *reinterpret_cast<const Vec<T, n>*>(from);
}
// The same for an unaligned address.
template <int n, class T>
__device__ __forceinline__ Vec<T, n> load_vector(const T* from, bool aligned) {
  if (aligned) return load_vector<n>(from);
  Vec<T, n> x;
  for (int i = 0; i < n; ++i) x.at[i] = from[i];
  return x;
}
template <int n, class T>
__device__ __forceinline__ void store_vector(T* to, const Vec<T, n>& x) {
  *reinterpret_cast<Vec<T, n>*>(to) = x;
}
