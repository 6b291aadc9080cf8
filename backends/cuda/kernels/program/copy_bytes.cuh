#pragma once
#include "program/bytes.cuh"

extern "C" __global__ void copy_bytes(const char* from, char* to, int64_t bytes) {
  begin_kernel();
  copy_by_all(from, to, bytes);
}
