#pragma once

// The first statement of every kernel (programmatic dependent launch): waits until the memory
// written by previous kernels is visible. Then the next kernel may start early, unless this one's
// blocks fill the GPU: only with at most one block per multiprocessor.
__device__ __forceinline__ void begin_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (gridDim.x * gridDim.y * gridDim.z <= STOKER_MULTIPROCESSORS)
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
