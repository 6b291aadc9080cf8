#include "core/round_up.h"
#include "ops/gemm/gemm_tiles_source.h"

namespace stoker::cuda {
namespace {

constexpr int most_stages = 4;
constexpr int64_t most_cluster = 8;  // larger clusters are not guaranteed to fit

int tile_of(int64_t length) { return length <= 16 ? 16 : length <= 32 ? 32 : 64; }

void share_among_warps(Tiling& t) {
  t.warps_m = t.tm == 16 ? 1 : t.tm == 64 && t.tn == 16 ? 4 : 2;
  t.warps_n = t.tm == 16 ? std::min(4, t.tn / 8) : t.tm == 64 && t.tn == 16 ? 1 : 2;
}

// Slabs of 128 bytes of k; 256 if tiles are small and k is long, for more bytes in flight.
int depth_of(const Gemm& p, const Tiling& t) {
  const int usual = size_of(p.in) == 2 ? 64 : 32;
  if (p.k <= usual / 2) return usual / 2;
  const bool across = p.trans_a && !p.trans_b;  // slabs are wide anyway
  return p.k >= 16 * usual && t.tm * t.tn <= 32 * (across ? 32 : 64) ? 2 * usual : usual;
}

// Smaller tiles if even split-k leaves multiprocessors idle.
void shrink_to_fill(Tiling& t, const Gemm& p, const Gpu& gpu) {
  const int64_t slabs = ceil_div(p.k, size_of(p.in) == 2 ? 64 : 32);
  const int64_t parts = slabs >= 32 * most_cluster ? slabs / 8 : std::min(most_cluster, slabs);
  while (4 * t.tiles(p) * parts < 3 * gpu.multiprocessors && std::max(t.tm, t.tn) > 16)
    (t.tn >= t.tm ? t.tn : t.tm) /= 2;
}

// Two blocks per multiprocessor, with 64 x 64 per warp: as many products per loaded fragment as
// registers allow.
Tiling large_tiling(const Gemm& p, const Gpu& gpu) {
  Tiling t{.tm = 128, .tn = 128, .tk = 32, .warps_m = 2, .warps_n = 2, .stages = 3};
  const int64_t slabs = ceil_div(p.k, t.tk);
  while (gpu.has_clusters && t.cluster < most_cluster && t.cluster * 8 <= slabs &&
         t.tiles(p) * t.cluster * 2 <= 2 * gpu.multiprocessors)
    t.cluster *= 2;
  return t;
}

// Reduces the desired number of stages to what fits into this GPU's shared memory.
Tiling fitted(Tiling t, const Gemm& p, const Gpu& gpu) {
  while (t.stages > 2 && shared_bytes(p, t) > static_cast<unsigned int>(gpu.shared_memory))
    --t.stages;
  return t;
}

}  // namespace

// With a small batch or output, tiles alone rarely fill the GPU: then the blocks of a cluster share
// a tile's k, and if that is not enough, a second kernel adds up further parts (split-k).
Tiling tiling_for(const Gemm& p, const Gpu& gpu) {
  if (is_large(p)) return fitted(large_tiling(p, gpu), p, gpu);
  Tiling t;
  t.tm = tile_of(p.m);
  t.tn = t.tm == 64 && p.n > 16 ? std::min(tile_of(p.n), p.k <= (p.adam ? 512 : 64) ? 64 : 32)
                                : tile_of(p.n);
  if (p.adam && t.tn == 64 && p.k <= 64) t.tm = std::min(t.tm, 32);
  shrink_to_fill(t, p, gpu);
  share_among_warps(t);
  t.tk = depth_of(p, t);
  const int64_t slabs = ceil_div(p.k, t.tk), tiles = t.tiles(p), cores = gpu.multiprocessors;
  // Long parts of k are worth a second block per multiprocessor, short ones are not.
  const auto worth_sharing = [&](int64_t cluster) {
    return slabs / cluster >= 8 ? tiles * cluster <= 2 * cores : 4 * tiles * cluster <= 5 * cores;
  };
  while (gpu.has_clusters && t.cluster < most_cluster && t.cluster * 2 <= slabs &&
         worth_sharing(t.cluster * 2))
    t.cluster *= 2;
  const int64_t left = slabs / t.cluster;
  if (left >= 16 && !p.bias_step)
    t.splits = std::clamp<int64_t>(2 * cores / (tiles * t.cluster), 1, left / 8);
  const int64_t each = ceil_div(slabs, t.cluster * t.splits);
  t.stages = static_cast<int>(std::clamp<int64_t>(each + 1, 2, most_stages));
  return fitted(t, p, gpu);
}

}  // namespace stoker::cuda
