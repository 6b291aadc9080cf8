#include "kernels/gemm.h"

// foreach_target.h compiles this file again for each target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm.cpp"
#include "core/simd_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <algorithm>

#include "core/thread_pool.h"
#include "kernels/epilogue-inl.h"
#include "kernels/gemm_plan-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

constexpr int64_t kJoined = 4;  // tiles finished together

// One thread's part of the product, or a piece of it if packed operands are shared.
class GemmPart {
 public:
  GemmPart(const GemmProblem& problem, const GemmPlan& plan, int index, float* workspace)
      : plan_(plan), sink_(problem.epilogue, problem.c, problem.ldc, problem.m * problem.n) {
    const int64_t split = plan.shared ? 0 : index / plan.cells();
    const int64_t cell = index % plan.cells();
    m0_ = plan.first_row(cell / plan.grid_n);
    m1_ = plan.first_row(cell / plan.grid_n + 1);
    n0_ = std::min(plan.n, cell % plan.grid_n * plan.part_cols());
    n1_ = std::min(plan.n, n0_ + plan.part_cols());
    k0_ = plan.k * split / plan.splits;
    k1_ = plan.k * (split + 1) / plan.splits;
    finish_ = plan.splits == 1;
    partial_ = plan.partial ? workspace + plan.m * plan.n * split : problem.c;
    partial_ld_ = plan.partial ? (plan.swapped ? plan.m : plan.n) : problem.ldc;
    float* const packed = workspace + plan.partial_floats();
    packed_a_ = packed + plan.scratch_floats() * index;
    packed_b_ = packed_a_ + plan.a_floats();
    if (plan.shared) take_piece(index / plan.cells(), cell / plan.grid_n, packed);
  }

  void run() {
    for (jc_ = n0_; jc_ < n1_; jc_ = jc_end_) {
      jc_end_ = plan_.block_cols == plan_.sliver() ? n1_ : std::min(n1_, jc_ + plan_.block_cols);
      for (pc_ = k0_; pc_ < k1_ || pc_ == 0; pc_ += plan_.depth) {
        depth_ = std::min(plan_.depth, k1_ - pc_);
        for (ic_ = m0_; ic_ < m1_; ic_ += plan_.block_rows) {
          ic_end_ = std::min(m1_, ic_ + plan_.block_rows);
          run_block();
        }
        if (k1_ == 0) break;
      }
    }
    sink_.flush();
  }

  // One slice of k, starting at `first`, for which both operands are packed.
  void run_slice(int64_t first) {
    pc_ = first, depth_ = std::min(plan_.depth, k1_ - first);
    jc_ = n0_, jc_end_ = n1_;
    ic_ = m0_, ic_end_ = m1_;
    run_block();
    sink_.flush();
  }

 private:
  // Narrows the rows or columns to those of a piece, and finds their packed data.
  void take_piece(int64_t piece, int64_t row_cell, float* packed) {
    const int64_t cell_row = m0_;
    cut(plan_.pieces_of_rows ? m0_ : n0_, plan_.pieces_of_rows ? m1_ : n1_,
        plan_.pieces_of_rows ? kTileRows : plan_.sliver(), piece);
    packed_a_ = packed + (row_cell * plan_.part_rows() + m0_ - cell_row) * plan_.depth;
    packed_b_ = packed + plan_.shared_a_floats() + n0_ * plan_.depth;
  }
  void cut(int64_t& begin, int64_t& end, int64_t unit, int64_t piece) const {
    const int64_t units = ceil_div(end - begin, unit), first = begin;
    begin = std::min(end, first + units * piece / plan_.pieces * unit);
    end = std::min(end, first + units * (piece + 1) / plan_.pieces * unit);
  }

  // In row order, several tiles are finished together: long rows use the memory better.
  void run_block() {
    if (plan_.pack_a && !plan_.shared) pack_rows();
    const bool join = plan_.rows_outer && !plan_.swapped && plan_.vecs == kTileVecs;
    const int64_t step = plan_.sliver() * (join ? kJoined : 1);
    for (int64_t j = jc_; j < jc_end_; j += step) {
      for (int64_t i = ic_; i < ic_end_; i += kTileRows) {
        run_tiles(i, j, std::min<int64_t>(kTileRows, ic_end_ - i), std::min(step, jc_end_ - j));
      }
    }
  }

  void pack_rows() {
    for (int64_t i = ic_; i < ic_end_; i += kTileRows) {
      const int64_t rows = std::min<int64_t>(kTileRows, ic_end_ - i);
      pack_panel(plan_.a, pc_, i, depth_, rows, rows, packed_a_ + (i - ic_) * plan_.depth);
    }
  }

  // Points b at the sliver; packs it for the first rows.
  void load_sliver(int64_t j, int64_t cols, bool first_rows) {
    width_ = cols <= kLanes ? kLanes : plan_.sliver();
    if (!plan_.pack_b && cols == width_) {
      args_.b = plan_.b.at(pc_, j);
      args_.b_step = plan_.b.k_stride;
      return;
    }
    const bool reused =
        !plan_.shared && plan_.block_cols == plan_.sliver() && plan_.part_cols() > plan_.sliver();
    float* slot = packed_b_ + (reused ? 0 : (j - jc_) * plan_.depth);
    if (!plan_.shared && first_rows && (reused || ic_ == m0_))
      pack_panel(plan_.b, pc_, j, depth_, cols, width_, slot);
    args_.b = slot;
    args_.b_step = width_;
  }

  void load_rows(int64_t i, int64_t rows) {
    if (plan_.pack_a || plan_.a.contiguous()) {
      args_.a = plan_.pack_a ? packed_a_ + (i - ic_) * plan_.depth : plan_.a.at(pc_, i);
      args_.a_step = plan_.pack_a ? rows : plan_.a.k_stride;
      return;
    }
    for (int64_t r = 0; r < rows; ++r) row_pointers_[r] = plan_.a.at(pc_, i + r);
    args_.rows = row_pointers_;
    args_.a_step = plan_.a.k_stride;
  }

  void run_tiles(int64_t i, int64_t j, int64_t rows, int64_t cols) {
    alignas(64) float sums[kJoined * kTileFloats], transposed[kTileFloats];
    args_.pitch = round_up(cols, plan_.sliver());
    args_.length = depth_;
    load_rows(i, rows);
    for (int64_t s = 0; s < cols; s += plan_.sliver()) {
      load_sliver(j + s, std::min(plan_.sliver(), cols - s), i == ic_);
      pick_micro_kernel(static_cast<int>(rows), static_cast<int>(width_ / kLanes),
                        plan_.pack_a || plan_.a.contiguous())(args_, sums + s);
    }
    TileView tile{sums, args_.pitch, rows, cols, i, j};
    if (plan_.swapped) {
      pack_transposed(sums, args_.pitch, cols, rows, rows, transposed);
      tile = TileView{transposed, rows, cols, rows, j, i};
    }
    if (!finish_ || pc_ + depth_ < k1_) return keep_partial(tile);
    sink_.finish(tile, pc_ > k0_ ? partial_ : nullptr, partial_ld_);
  }

  void keep_partial(const TileView& tile) const {
    for (int64_t r = 0; r < tile.rows; ++r) {
      float* out = partial_ + (tile.row + r) * partial_ld_ + tile.col;
      const float* addend = pc_ > k0_ ? out : nullptr;
      for_each_vector(tile.cols,
                      StoreRow{tile.sums + r * tile.ld, addend, nullptr, false, nullptr, out});
    }
  }

  const GemmPlan& plan_;
  TileSink sink_;
  int64_t m0_, m1_, n0_, n1_, k0_, k1_;
  int64_t jc_ = 0, jc_end_ = 0, pc_ = 0, depth_ = 0, ic_ = 0, ic_end_ = 0, width_ = 0;
  bool finish_;
  float* partial_;
  int64_t partial_ld_;
  float* packed_a_;
  float* packed_b_;
  MicroArgs args_;
  const float* row_pointers_[kTileRows] = {};
};

// Adds the splits' sums in order and applies the epilogue, a range of rows at a time.
void reduce_splits(const GemmProblem& p, const GemmPlan& plan, float* sums, ThreadPool& pool) {
  constexpr int64_t least = 16 * 1024;  // additions worth a thread
  const int64_t size = p.m * p.n;
  const int64_t grains = std::min(size * plan.splits / least, p.m);
  const int parts = stoker::worthwhile_threads(grains, pool.size());
  pool.run(parts, [&](int part) {
    const int64_t first = p.m * part / parts, rows = p.m * (part + 1) / parts - first;
    float* out = sums + first * p.n;
    for (int64_t s = 1; s < plan.splits; ++s)
      for_each_vector(rows * p.n, AddRow{out + s * size, out});
    TileSink(p.epilogue, p.c, p.ldc, 0).finish(TileView{out, p.n, rows, p.n, first, 0}, nullptr, 0);
  });
}

// Packs one share of a slice of both operands: the rows of each cell of the grid in separate tiles,
// the columns in slivers.
void pack_share(const GemmPlan& plan, int64_t first, int64_t share, float* packed) {
  const int64_t depth = std::min(plan.depth, plan.k - first);
  const int64_t tiles = plan.part_rows() / kTileRows, slivers = ceil_div(plan.n, plan.sliver());
  const auto for_share = [&](int64_t count, auto body) {
    const int64_t shares = plan.cells();
    for (int64_t i = count * share / shares; i < count * (share + 1) / shares; ++i) body(i);
  };
  for_share(plan.grid_m * tiles, [&](int64_t tile) {
    const int64_t cell = tile / tiles, row = plan.first_row(cell) + tile % tiles * kTileRows;
    const int64_t rows = std::min<int64_t>(kTileRows, plan.first_row(cell + 1) - row);
    if (rows > 0)
      pack_panel(plan.a, first, row, depth, rows, rows, packed + tile * kTileRows * plan.depth);
  });
  for_share(slivers, [&](int64_t s) {
    const int64_t col = s * plan.sliver(), cols = std::min(plan.sliver(), plan.n - col);
    pack_panel(plan.b, first, col, depth, cols, cols <= kLanes ? kLanes : plan.sliver(),
               packed + plan.shared_a_floats() + col * plan.depth);
  });
}

void gemm_shared(const GemmProblem& problem, const GemmPlan& plan, float* workspace,
                 ThreadPool& pool) {
  const int cells = static_cast<int>(plan.cells());
  float* const packed = workspace + plan.partial_floats();
  for (int64_t first = 0; first < plan.k; first += plan.depth) {
    pool.run(cells, [&](int share) { pack_share(plan, first, share, packed); });
    pool.run(cells * static_cast<int>(plan.pieces),
             [&](int piece) { GemmPart(problem, plan, piece, workspace).run_slice(first); });
  }
}

size_t gemm_workspace(const GemmProblem& problem, int threads) {
  const GemmPlan plan = plan_gemm(problem, threads);
  return (plan.partial_floats() + plan.packed_floats()) * sizeof(float);
}

void gemm(const GemmProblem& problem, float* workspace, ThreadPool& pool) {
  const GemmPlan plan = plan_gemm(problem, pool.size());
  if (plan.shared) return gemm_shared(problem, plan, workspace, pool);
  pool.run(static_cast<int>(plan.parts()),
           [&](int part) { GemmPart(problem, plan, part, workspace).run(); });
  if (plan.splits > 1) reduce_splits(problem, plan, workspace, pool);
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::cpu {

HWY_EXPORT(gemm_workspace);
HWY_EXPORT(gemm);

size_t gemm_workspace_bytes(const GemmProblem& problem, ThreadPool& pool) {
  return HWY_DYNAMIC_DISPATCH(gemm_workspace)(problem, pool.size());
}

void gemm_run(const GemmProblem& problem, void* workspace, ThreadPool& pool) {
  if (problem.m <= 0 || problem.n <= 0) return;
  HWY_DYNAMIC_DISPATCH(gemm)(problem, static_cast<float*>(workspace), pool);
}

}  // namespace stoker::cpu
#endif
