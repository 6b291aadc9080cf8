// Instructions for blocks of a cluster: copies into each other's shared memory, and barriers that
// count the arriving bytes. Not for a block that is launched without a cluster.
#pragma once
#include "prelude.cuh"

DEVICE int block_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
DEVICE unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
DEVICE unsigned address_at(const void* p, int rank) {
  unsigned a;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(shared_address(p)), "r"(rank));
  return a;
}
// Copies to the same shared memory address in another block and counts down its barrier.
DEVICE void send(const void* from, void* to, unsigned bytes, uint64_t* barrier, int rank) {
  asm volatile(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(address_at(to, rank)),
      "r"(shared_address(from)), "r"(bytes), "r"(address_at(barrier, rank))
      : "memory");
}
// Makes stores visible to copies that start after the next barrier.
DEVICE void publish() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
DEVICE void barrier_init(uint64_t* b, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count)
               : "memory");
}
DEVICE void barrier_init_done() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
DEVICE void expect(uint64_t* b, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
               "r"(bytes)
               : "memory");
}
DEVICE void arrive(uint64_t* b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
DEVICE bool passed(uint64_t* b, unsigned parity) {
  unsigned done;
  asm volatile(
      "{ .reg .pred P; mbarrier.try_wait.parity.shared::cta.b64 P, [%1], %2; selp.u32 %0, 1, 0, P; "
      "}"
      : "=r"(done)
      : "r"(shared_address(b)), "r"(parity)
      : "memory");
  return done;
}
DEVICE void barrier_of_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}
