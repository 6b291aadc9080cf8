// How the blocks of a cluster read each other's sums (distributed shared memory).
#pragma once
#include "gemm/arguments.cuh"

#if CLUSTER > 1
__device__ __forceinline__ void meet() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}
template <int V>
__device__ __forceinline__ Pack<float, V> from_block(const float* p, int block) {
  uint32_t at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(at)
               : "r"(uint32_t(__cvta_generic_to_shared(p))), "r"(block));
  Pack<float, V> x;
  float* v = x.at;
  if constexpr (V == 4)
    asm volatile("ld.shared::cluster.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                 : "r"(at)
                 : "memory");
  else if constexpr (V == 2)
    asm volatile("ld.shared::cluster.v2.f32 {%0,%1}, [%2];"
                 : "=f"(v[0]), "=f"(v[1])
                 : "r"(at)
                 : "memory");
  else
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v[0]) : "r"(at) : "memory");
  return x;
}
#else
__device__ __forceinline__ void meet() { __syncthreads(); }
template <int V>
__device__ __forceinline__ Pack<float, V> from_block(const float* p, int) {
  return pack_at<V>(p);
}
#endif
