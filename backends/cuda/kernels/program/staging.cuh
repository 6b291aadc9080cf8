#pragma once
#include "program/bytes.cuh"

// The program's own kernels: base addresses are kernel arguments, so nothing on the host must
// outlive the launch; each moving input is copied from its base plus its steps' strides.
struct Bases {
  const char* at[256];
};
extern "C" __global__ void set_bases(const char** bases, Bases values, int count) {
  begin_kernel();
  if (threadIdx.x < count) bases[threadIdx.x] = values.at[threadIdx.x];
}
extern "C" __global__ void stage(const char* const* base, int64_t offset, char* to, int64_t bytes) {
  begin_kernel();
  copy_by_all(*base + offset, to, bytes);
}
