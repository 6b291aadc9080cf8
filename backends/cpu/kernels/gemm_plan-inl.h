// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_GEMM_PLAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_GEMM_PLAN_INL_H_
#undef STOKER_GEMM_PLAN_INL_H_
#else
#define STOKER_GEMM_PLAN_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/round_up.h"
#include "kernels/gemm.h"
#include "kernels/micro_kernel-inl.h"
#include "kernels/pack-inl.h"
#include "kernels/thread_count.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

constexpr int64_t kMaxDepth = 1024;           // a slice of k: its panels stream from the L2 cache
constexpr int64_t kBlockFloats = 120 * 1024;  // packed rows that fit into L2 with a sliver
constexpr int64_t kColumnFloats = 1024 * 1024;
constexpr int64_t kSplitDepth = 4096;         // smaller slices of k are not worth a thread
constexpr int64_t kSmallColumns = 64 * 1024;  // floats of packed columns that stay in L2

// How one problem is computed. With `swapped`, the transposed product Cᵀ = op(B)ᵀ op(A)ᵀ is
// computed: its rows are C's columns, which is faster if C is narrow, or if B is stored transposed
// and A is small.
struct GemmPlan {
  int64_t m, n, k;
  Operand a, b;  // a(k, i) and b(k, j)
  bool swapped = false;
  int vecs = kTileVecs;
  int64_t grid_m = 1, grid_n = 1, splits = 1;
  int64_t depth = 0;       // of a slice of k
  int64_t block_rows = 0;  // rows packed at a time
  int64_t block_cols = 0;
  bool pack_a = false, pack_b = false;
  bool rows_outer = false;  // traverse C row by row: best if its memory is the bottleneck
  bool partial = false;     // sums of slices are kept outside C
  // With many threads both operands are packed once, for all of them, and a cell of the grid is cut
  // into pieces, so that a thread that is done can take pieces of a slower one.
  bool shared = false;
  bool pieces_of_rows = false;  // else of columns
  int64_t pieces = 1;

  int64_t sliver() const { return int64_t{vecs} * kLanes; }
  int64_t cells() const { return grid_m * grid_n; }
  int64_t parts() const { return cells() * splits; }
  // Rows are divided evenly: the same share of a weight's rows in every product.
  int64_t first_row(int64_t part) const { return m * part / grid_m; }
  int64_t part_rows() const { return round_up(ceil_div(m, grid_m), kTileRows); }
  int64_t part_cols() const { return ceil_div(ceil_div(n, sliver()), grid_n) * sliver(); }
  int64_t a_floats() const { return round_up(block_rows * depth, 16); }
  int64_t b_floats() const { return round_up(block_cols * depth, 16); }
  int64_t scratch_floats() const { return a_floats() + b_floats(); }  // of a part
  int64_t shared_a_floats() const { return round_up(grid_m * part_rows() * depth, 16); }
  int64_t shared_b_floats() const { return round_up(round_up(n, sliver()) * depth, 16); }
  int64_t packed_floats() const {
    return shared ? shared_a_floats() + shared_b_floats() : parts() * scratch_floats();
  }
  int64_t partial_floats() const { return partial ? round_up(m * n * splits, 16) : 0; }
};

// Approximate cycles: sums at full lanes, plus the cost of transposing while packing or storing.
inline double product_cost(double m, int64_t n, double k, bool transpose_b) {
  return m * round_up(n, kLanes) * k / kLanes + (transpose_b ? 0.4 * n * k : 0.0);
}

inline bool better_swapped(const GemmProblem& p) {
  const double straight = product_cost(p.m, p.n, p.k, p.trans_b);
  const double swapped = product_cost(p.n, p.m, p.k, !p.trans_a) + 0.8 * p.m * p.n;
  return swapped < straight;
}

inline double epilogue_cost(bool adam) { return adam ? 24 : 4; }

// The number of threads worth using for m x n sums of k products each.
inline int worthwhile_threads(double m, double n, double k, bool adam, int threads) {
  return threads_for_products(m * n * (k + epilogue_cost(adam)), kLanes, threads);
}

// Divides tiles among threads so that the largest share, including its packing, is smallest.
inline void choose_grid(GemmPlan& plan, const Epilogue& epilogue, int threads) {
  const double per_output = (plan.k + epilogue_cost(epilogue.adam != nullptr)) / kLanes;
  const int64_t row_tiles = ceil_div(plan.m, kTileRows), slivers = ceil_div(plan.n, plan.sliver());
  double best = std::numeric_limits<double>::max();
  for (int64_t gm = 1; gm <= std::min<int64_t>(threads, row_tiles); ++gm) {
    const int64_t gn = std::min<int64_t>(threads / gm, slivers);
    const double rows = static_cast<double>(ceil_div(plan.m, gm));
    const double cols = std::min<double>(plan.n, ceil_div(slivers, gn) * plan.sliver());
    // A weight's rows stay on the thread that will read them: see keeps_weight_rows_on_threads.
    const double travel = epilogue.adam && gn > 1 ? 0.5 * plan.m * plan.n : 0.0;
    const double cost = rows * cols * per_output + (0.4 * rows + 0.2 * cols) * plan.k + travel;
    if (cost < best) best = cost, plan.grid_m = gm, plan.grid_n = gn;
  }
}

// A small batch times a weight: each thread processes its own rows of the weight, those that its
// Adam update writes, so that they stay in the core's cache. The partial sums are exchanged
// instead.
inline bool keeps_weight_rows_on_threads(const GemmPlan& plan, const GemmProblem& p, int threads) {
  const bool few_sums = threads <= 4 || 4 * p.m * threads <= 3 * p.k;
  return threads > 1 && !plan.swapped && !p.trans_a && !p.trans_b && p.epilogue.adam == nullptr &&
         p.k >= std::max(256, 32 * threads) && p.n * p.k >= 32 * 1024 && p.m * p.n <= 64 * 1024 &&
         few_sums;
}

inline void choose_splits(GemmPlan& plan, const GemmProblem& p, int threads) {
  const int home = worthwhile_threads(p.k, p.n, p.m, true, threads);  // of the weight's Adam update
  if (keeps_weight_rows_on_threads(plan, p, home)) {
    plan.grid_m = plan.grid_n = 1;
    plan.splits = home;
    return;
  }
  const bool few_tiles =
      ceil_div(plan.m, kTileRows) * ceil_div(plan.n, plan.sliver()) < 2 * threads;
  if (threads == 1 || !few_tiles || plan.k < 2 * kSplitDepth) return;
  plan.grid_m = plan.grid_n = 1;
  plan.splits = std::min<int64_t>(plan.k / kSplitDepth, 4 * threads);
}

inline void choose_blocks(GemmPlan& plan) {
  const int64_t part_k = ceil_div(plan.k, plan.splits);
  const int64_t limit = plan.splits > 1 ? 512 : kMaxDepth;  // a split streams: keep panels in L1
  plan.depth =
      std::max<int64_t>(1, ceil_div(part_k, std::max<int64_t>(1, ceil_div(part_k, limit))));
  const int64_t rows = std::min(plan.part_rows(), round_up(plan.m, kTileRows));
  const int64_t cols = std::min(plan.part_cols(), round_up(plan.n, plan.sliver()));
  const int64_t row_tiles = rows / kTileRows, slivers = cols / plan.sliver();
  plan.pack_a = plan.vecs == kTileVecs && slivers >= (plan.a.contiguous() ? 4 : 2) &&
                slivers * 16 > row_tiles;
  plan.pack_b = !plan.b.contiguous() || row_tiles >= 3;
  plan.rows_outer = plan.depth == plan.k &&
                    (!plan.pack_b || plan.depth <= 128 || cols * plan.depth <= kSmallColumns);
  plan.block_rows =
      plan.rows_outer
          ? kTileRows
          : std::min(rows, std::max<int64_t>(1, kBlockFloats / plan.depth / kTileRows) * kTileRows);
  const bool one_block = !plan.rows_outer && plan.block_rows >= rows;
  const int64_t budget = plan.rows_outer ? kSmallColumns : kColumnFloats;
  const int64_t most = std::max<int64_t>(2, budget / plan.depth / plan.sliver()) * plan.sliver();
  plan.block_cols = one_block ? plan.sliver() : std::min(cols, most);
}

// Only large products with many threads repay a second synchronisation, and the packed operands
// must fit into the caches.
inline void choose_shared(GemmPlan& plan) {
  constexpr int64_t least_cells = 8, most_floats = 16 << 20, most_pieces = 8;
  constexpr double least_vectors = 100'000;
  const double vectors = static_cast<double>(plan.m) * plan.n * plan.k / kLanes / plan.cells();
  plan.shared = plan.cells() >= least_cells && plan.splits == 1 && plan.pack_a && plan.pack_b &&
                !plan.rows_outer && vectors >= least_vectors &&
                plan.shared_a_floats() + plan.shared_b_floats() <= most_floats;
  if (!plan.shared) return;
  const int64_t tiles = plan.part_rows() / kTileRows, slivers = plan.part_cols() / plan.sliver();
  plan.pieces_of_rows = tiles >= slivers;
  plan.pieces = std::min(most_pieces, std::max(tiles, slivers));
}

inline GemmPlan plan_gemm(const GemmProblem& p, int threads) {
  const Operand a = p.trans_a ? Operand{p.a, p.lda, 1} : Operand{p.a, 1, p.lda};
  const Operand b = p.trans_b ? Operand{p.b, 1, p.ldb} : Operand{p.b, p.ldb, 1};
  GemmPlan plan{p.m, p.n, p.k, a, b};
  if (better_swapped(p)) plan = GemmPlan{p.n, p.m, p.k, b, a, true};
  const int sharers = p.sum_shares > 0 ? p.sum_shares : threads;
  const bool wide =
      plan.m <= kWideRows && plan.b.contiguous() && plan.n >= kWideVecs * kLanes * sharers;
  if (wide) plan.vecs = kWideVecs;
  const bool adam = p.epilogue.adam != nullptr;
  choose_grid(plan, p.epilogue, worthwhile_threads(plan.m, plan.n, plan.k, adam, threads));
  choose_splits(plan, p, sharers);
  choose_blocks(plan);
  choose_shared(plan);
  plan.partial = plan.splits > 1 || (p.epilogue.adam && plan.depth < plan.k) ||
                 (p.epilogue.accumulate && plan.depth < plan.k);
  return plan;
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
