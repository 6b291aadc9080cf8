// Functions that are single instructions.
#pragma once
#include "trainer/arguments.cuh"

DEVICE int thread() { return threadIdx.x; }
DEVICE unsigned bits(float f) { return __float_as_uint(f); }
DEVICE float from_bits(unsigned u) { return __uint_as_float(u); }
// Adding half an ulp to the bits rounds to TF32. A NaN, whose bits may all be set, would become
// zero.
DEVICE float round_tf32(float f) { return f == f ? from_bits((bits(f) + 0x1000u) & ~0x1fffu) : f; }
// For the first layer's weights, which are many; the tensor core truncates. Checking for NaN took a
// fifth of a step's time, and a NaN is visible without it: the last layer's weights, which are not
// rounded, become NaN, too. Unless the first layer is the last, or Adam divides zero by zero.
constexpr bool NAN_COULD_HIDE = LAYERS == 1 || (ADAM && EPSILON == 0.f);
DEVICE unsigned rounded(float f) { return NAN_COULD_HIDE && f != f ? bits(f) : bits(f) + 0x1000u; }
DEVICE void mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
DEVICE float square_root(float x) {
  float s;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(s) : "f"(x));
  return s;
}
DEVICE float reciprocal(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
// Sends four numbers directly from registers, for messages so small that a bulk copy's latency
// would matter.
DEVICE void send_four(float4 v, void* to, u64* barrier, int rank) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
      "[%5];" ::"r"(address_at(to, rank)),
      "r"(bits(v.x)), "r"(bits(v.y)), "r"(bits(v.z)), "r"(bits(v.w)), "r"(address_at(barrier, rank))
      : "memory");
}
DEVICE void wait(u64* b, unsigned parity) {
  if (CHECKED) {
    const i64 start = clock64();
    while (!passed(b, parity))
      if (clock64() - start > 4000000000ll) __trap();
  } else {
    while (!passed(b, parity)) {
    }
  }
}
DEVICE void barrier_of_compute() { asm volatile("bar.sync 1, %0;" ::"n"(COMPUTE) : "memory"); }
DEVICE void barrier_of_helpers() { asm volatile("bar.sync 2, %0;" ::"n"(HELPERS) : "memory"); }
DEVICE void barrier_of_block() { __syncthreads(); }
DEVICE void barrier_of_warp() { __syncwarp(); }
DEVICE float from_lane_xor(float v, int mask) { return __shfl_xor_sync(~0u, v, mask); }
DEVICE unsigned lanes_where(bool b) { return __ballot_sync(~0u, b); }
DEVICE void store_at(double* p, double v, int rank) {
  asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(address_at(p, rank)), "d"(v) : "memory");
}
