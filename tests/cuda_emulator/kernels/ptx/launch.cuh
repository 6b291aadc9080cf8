// Kernels run one after the other: there is nothing to wait for.
#pragma once

__device__ __forceinline__ void begin_kernel() {}
