#pragma once
#include "prelude.cuh"

// Kernels of the program's own: bases arrive as arguments, so nothing on the host must outlive the
// launch; each moving input is copied from its base plus its steps' strides.
struct Bases {
  const char* at[256];
};
extern "C" __global__ void set_bases(const char** bases, Bases values, int count) {
  begin_kernel();
  if (threadIdx.x < count) bases[threadIdx.x] = values.at[threadIdx.x];
}
extern "C" __global__ void stage(const char* const* base, int64_t offset, char* to, int64_t bytes) {
  begin_kernel();
  const char* from = *base + offset;
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x, n = gridDim.x * int64_t(blockDim.x);
  if (((uint64_t)from | (uint64_t)to | (uint64_t)bytes) % 16 == 0) {
    for (; i < bytes / 16; i += n) ((int4*)to)[i] = ((const int4*)from)[i];
  } else {
    for (; i < bytes; i += n) to[i] = from[i];
  }
}
