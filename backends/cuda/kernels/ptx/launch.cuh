#pragma once

// The first thing that every kernel does: it waits until the memory of the kernels before it is
// written, and touches nothing of theirs before. Then the next one may get ready, unless this one's
// blocks need all the room there is: there is one for each multiprocessor, or fewer.
__device__ __forceinline__ void begin_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (gridDim.x * gridDim.y * gridDim.z <= STOKER_MULTIPROCESSORS)
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
