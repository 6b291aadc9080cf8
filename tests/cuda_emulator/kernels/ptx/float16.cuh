// Conversions by the host.
#pragma once

__device__ __forceinline__ float float_of_half(uint16_t bits) {
  _Float16 h;
  __builtin_memcpy(&h, &bits, sizeof h);
  return h;
}
__device__ __forceinline__ uint16_t half_of_float(float v) {
  const _Float16 h = _Float16(v);
  uint16_t bits;
  __builtin_memcpy(&bits, &h, sizeof h);
  return bits;
}
__device__ __forceinline__ uint16_t bfloat_of_float(float v) {
  const uint32_t u = __float_as_uint(v);
  return v != v ? 0x7fff : uint16_t((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
