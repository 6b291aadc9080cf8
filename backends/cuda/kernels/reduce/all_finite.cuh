#pragma once
#include "prelude.cuh"

// Infinities and NaNs have an exponent of all ones. Blocks that find one all write the same byte.
struct Parts {
  const void* data[64];
  int64_t size[64];
  int kind[64];
};

template <class B>
__device__ bool spoiled(const void* data, int64_t size, B exponent) {
  const B* x = static_cast<const B*>(data);
  bool bad = false;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < size;
       i += int64_t(gridDim.x) * blockDim.x)
    bad |= (x[i] & exponent) == exponent;
  return bad;
}

extern "C" __global__ void all_finite(Parts parts, uint8_t* finite) {
  begin_kernel();
  const void* data = parts.data[blockIdx.y];
  const int64_t size = parts.size[blockIdx.y];
  bool bad;
  switch (parts.kind[blockIdx.y]) {
    case 0:
      bad = spoiled<uint32_t>(data, size, 0x7f800000u);
      break;
    case 1:
      bad = spoiled<uint64_t>(data, size, 0x7ff0000000000000ull);
      break;
    case 2:
      bad = spoiled<uint16_t>(data, size, 0x7c00);
      break;
    default:
      bad = spoiled<uint16_t>(data, size, 0x7f80);
      break;
  }
  if (bad) *finite = 0;
}
