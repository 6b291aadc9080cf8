#pragma once
#include "core/round_up.h"
#include "ops/gemm/gemm.h"

namespace stoker::cuda {

// The tiling of a GEMM for the tensor cores.
struct Tiling {
  int tm = 64, tn = 64, tk = 32;  // a block's tile, and its slab of k
  int warps_m = 2, warps_n = 2;   // how its warps share the tile
  int stages = 3;                 // slabs in shared memory, all but one of them in flight
  int cluster = 1;                // blocks that share a tile's k and reduce in shared memory
  int64_t splits = 1;             // split-k, reduced by a second kernel

  int threads() const { return 32 * warps_m * warps_n; }
  int64_t tiles(const Gemm& p) const { return ceil_div(p.m, tm) * ceil_div(p.n, tn); }
};
Tiling tiling_for(const Gemm& product, const Gpu& gpu);

void cut(GemmArguments& arguments, const Gemm& product, const Tiling& tiling);
unsigned int shared_bytes(const Gemm& product, const Tiling& tiling);

// `product(Arguments)` over tiles * cluster blocks in x and splits in y.
std::string gemm_tiles_source(const Gemm& product, const Tiling& tiling);

}  // namespace stoker::cuda
