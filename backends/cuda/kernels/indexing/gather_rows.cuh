// Gathers rows of a table by index, copied or converted from float32 to float16 or bfloat16.
#pragma once
#include "common/vectors.cuh"

// A table to gather from: read in units of so many bytes, by blocks up to `end`.
struct Table {
  const char* rows;
  char* out;
  int64_t count;
  int unit;
  unsigned int end;
};
// The value for an index out of range. All bits set is a NaN in every floating-point format.
template <class U>
__device__ __forceinline__ U missing_unit() {
  return nan_outside ? U(~U(0)) : U(0);
}
template <>
__device__ __forceinline__ int4 missing_unit<int4>() {
  const int word = nan_outside ? -1 : 0;
  int4 unit;
  unit.x = unit.y = unit.z = unit.w = word;
  return unit;
}
template <class U, class S, int64_t row_bytes>
__device__ __forceinline__ void copy_unit(const char* table, const row_index_t* indices, char* out,
                                          int64_t rows, int64_t count, unsigned int block) {
  constexpr S units = row_bytes / sizeof(U);
  const S t = S(block) * 256 + S(threadIdx.x);
  if (t >= S(count) * units) return;
  const S r = t / units, u = t % units;
  const int64_t at = indices[r];
  U x = missing_unit<U>();
  if (at >= 0 && at < rows) x = reinterpret_cast<const U*>(table + at * row_bytes)[u];
  reinterpret_cast<U*>(out)[t] = x;
}
template <class S, int64_t row_bytes>
__device__ __forceinline__ void copy_rows(const Table& t, const row_index_t* indices, int64_t count,
                                          unsigned int block) {
  if (t.unit == 16)
    copy_unit<int4, S, row_bytes>(t.rows, indices, t.out, t.count, count, block);
  else if (t.unit == 8)
    copy_unit<uint64_t, S, row_bytes>(t.rows, indices, t.out, t.count, count, block);
  else if (t.unit == 4)
    copy_unit<uint32_t, S, row_bytes>(t.rows, indices, t.out, t.count, count, block);
  else
    copy_unit<uint8_t, S, row_bytes>(t.rows, indices, t.out, t.count, count, block);
}
template <int n, class T, class S, int64_t row_bytes>
__device__ __forceinline__ void narrow_unit(const char* table, const row_index_t* indices,
                                            char* out, int64_t rows, int64_t count,
                                            unsigned int block) {
  constexpr S units = row_bytes / (4 * n);
  const S t = S(block) * 256 + S(threadIdx.x);
  if (t >= S(count) * units) return;
  const S r = t / units, u = t % units;
  const int64_t at = indices[r];
  Vec<float, n> x;
  if (at >= 0 && at < rows)
    x = reinterpret_cast<const Vec<float, n>*>(table + at * row_bytes)[u];
  else
    for (int i = 0; i < n; ++i) x.at[i] = nan_outside ? NAN_F : 0.0f;
  Vec<T, n> y;
  for (int i = 0; i < n; ++i) y.at[i] = store<T>(x.at[i]);
  reinterpret_cast<Vec<T, n>*>(out)[t] = y;
}
// unit: bytes per read.
template <class T, class S, int64_t row_bytes>
__device__ __forceinline__ void narrow_rows(const Table& t, const row_index_t* indices,
                                            int64_t count, unsigned int block) {
  if (t.unit == 16)
    narrow_unit<4, T, S, row_bytes>(t.rows, indices, t.out, t.count, count, block);
  else
    narrow_unit<1, T, S, row_bytes>(t.rows, indices, t.out, t.count, count, block);
}
