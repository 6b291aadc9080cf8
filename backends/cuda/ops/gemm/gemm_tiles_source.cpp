#include "ops/gemm/gemm_tiles_source.h"

#include "core/round_up.h"

namespace stoker::cuda {
namespace {

const char* instruction(DType in) {
  if (in == DType::float16) return "m16n8k16.row.col.f32.f16.f16.f32";
  if (in == DType::bfloat16) return "m16n8k16.row.col.f32.bf16.bf16.f32";
  return "m16n8k8.row.col.f32.tf32.tf32.f32";
}

// Bytes per asynchronous copy: rows must be aligned to them.
int chunk_of(int64_t row_length, DType dtype) {
  const int64_t bytes = row_length * static_cast<int64_t>(size_of(dtype));
  return static_cast<int>(std::min<int64_t>(16, bytes & -bytes));
}

// Packs of results per thread.
int packs_per_thread(const Gemm& p, const Tiling& t) {
  return t.tm * t.tn / t.cluster / vector_width(p) / t.threads();
}

int64_t padded(int64_t length, int64_t padding) { return length + padding; }

}  // namespace

void cut(GemmArguments& x, const Gemm& p, const Tiling& t) {
  const int64_t slabs = ceil_div(p.k, t.tk), parts = t.cluster * t.splits;
  x.tiles_across = static_cast<int32_t>(ceil_div(p.n, t.tn));
  x.depth = static_cast<int32_t>(ceil_div(slabs, parts) * t.tk);
}

unsigned int shared_bytes(const Gemm& p, const Tiling& t) {
  const auto size = static_cast<int64_t>(size_of(p.in)), along = 16 / size;
  const int64_t a = p.trans_a ? t.tk * padded(t.tm, 8) : t.tm * padded(t.tk, along),
                b = p.trans_b ? t.tn * padded(t.tk, along) : t.tk * padded(t.tn, 8);
  return static_cast<unsigned int>(
      std::max(t.stages * (a + b) * size, (t.tm * padded(t.tn, 8) + t.threads()) * 4));
}

std::string gemm_tiles_source(const Gemm& p, const Tiling& t) {
  return gemm_source("gemm/tiles.cuh", p)
      .macro("SIXTEEN_BIT", size_of(p.in) == 2)
      .macro("MMA", fmt::format("\"{}\"", instruction(p.in)))
      .macro("CLUSTER", t.cluster)
      .macro("SPLIT", t.splits > 1)
      .macro("EARLY", t.splits == 1 && t.tm <= 64 && packs_per_thread(p, t) <= 8)
      .constant("TM", t.tm)
      .constant("TN", t.tn)
      .constant("TK", t.tk)
      .constant("WARPS_M", t.warps_m)
      .constant("WARPS_N", t.warps_n)
      .constant("STAGES", t.stages)
      .constant("THREADS", t.threads())
      .constant("KSTEP", size_of(p.in) == 2 ? 16 : 8)
      .constant("CHUNK_A", chunk_of(p.lda(), p.in))
      .constant("CHUNK_B", chunk_of(p.ldb(), p.in))
      .constant("WIDTH", vector_width(p));
}

}  // namespace stoker::cuda
