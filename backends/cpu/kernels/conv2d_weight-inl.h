// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_CONV2D_WEIGHT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_CONV2D_WEIGHT_INL_H_
#undef STOKER_CONV2D_WEIGHT_INL_H_
#else
#define STOKER_CONV2D_WEIGHT_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/round_up.h"
#include "kernels/column_sums-inl.h"
#include "kernels/conv2d.h"
#include "kernels/conv2d_source.h"
#include "kernels/epilogue-inl.h"
#include "kernels/micro_kernel-inl.h"
#include "kernels/pack-inl.h"
#include "kernels/thread_count.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

// d_kernel as a matrix product over pixels: one row per (kernel row, kernel column, input channel).
// Each part sums its share of the images into its own kernel; they are added in a fixed order at
// the end.
struct WeightPlan {
  Conv2dShape shape;
  ConvSource source;
  bool pooled;  // gradients are pooled and must be unpooled, also with windows of one pixel
  PoolWindow window;
  int64_t out_h, out_w;
  int64_t block_rows;  // output rows per unit of work
  int64_t group_in, group_out;
  int64_t rows;       // of d_kernel
  int64_t tile_rows;  // rows split evenly over tiles, since a narrow last tile wastes registers
  int64_t width;
  int64_t parts;

  int64_t units_per_image() const { return ceil_div(out_h, block_rows); }
  int64_t units() const { return shape.batch * units_per_image(); }
  int64_t source_rows(int64_t n) const {
    return (n - 1) * shape.stride_h + (shape.kernel_h - 1) * shape.dilation_h + 1;
  }
  static int64_t aligned(int64_t floats) { return round_up(floats, 16); }
  int64_t table_floats() const { return aligned(2 * (rows + block_rows)); }
  int64_t kernel_floats() const { return rows * shape.out_c; }
  int64_t sums_floats() const { return aligned(kernel_floats() + shape.out_c); }
  int64_t copy_floats() const { return source.copy_floats(source_rows(block_rows)); }
  int64_t block_floats() const { return aligned(pooled ? block_rows * out_w * shape.out_c : 0); }
  int64_t tail_floats() const {
    return aligned(group_out % width == 0 ? 0 : block_rows * out_w * width);
  }
  int64_t part_floats() const {
    return sums_floats() + copy_floats() + block_floats() + tail_floats();
  }
  int64_t workspace_floats() const { return table_floats() + parts * part_floats(); }
};

inline WeightPlan plan_weight_gradient(const Conv2dShape& shape, const PoolWindow* pool,
                                       int threads) {
  const PoolWindow window = pool ? *pool : PoolWindow{1, 1};
  WeightPlan plan{shape, forward_source(shape), pool != nullptr, window};
  plan.out_h = shape.out_h() / window.h * window.h;
  plan.out_w = shape.out_w() / window.w * window.w;
  const int64_t rows = std::max<int64_t>(1, 512 / std::max<int64_t>(1, plan.out_w));
  plan.block_rows = std::min(std::max<int64_t>(1, plan.out_h), round_up(rows, window.h));
  plan.group_in = shape.in_c / shape.groups;
  plan.group_out = shape.out_c / shape.groups;
  plan.rows = shape.kernel_h * shape.kernel_w * plan.group_in;
  const int64_t tiles = ceil_div(plan.rows, kTileRows);
  plan.tile_rows = ceil_div(plan.rows, tiles);
  plan.width = plan.group_out <= kLanes ? kLanes : kTileCols;
  const double products = static_cast<double>(shape.batch * plan.out_h * plan.out_w) *
                          static_cast<double>(plan.rows * shape.out_c);
  const int sharers =
      shape.sum_shares > 0 ? shape.sum_shares : threads_for_products(products, kLanes, threads);
  plan.parts = std::max<int64_t>(1, std::min<int64_t>(sharers, plan.units()));
  return plan;
}

// Offsets into the source: of each row of d_kernel, then of each output row of a block.
inline void fill_tables(const WeightPlan& plan, int64_t* tables) {
  const Conv2dShape& s = plan.shape;
  for (int64_t row = 0; row < plan.rows; ++row) {
    const int64_t tap = row / plan.group_in;
    *tables++ = tap / s.kernel_w * s.dilation_h * plan.source.pitch() +
                tap % s.kernel_w * s.dilation_w * s.in_c + row % plan.group_in;
  }
  for (int64_t y = 0; y < plan.block_rows; ++y) *tables++ = y * s.stride_h * plan.source.pitch();
}

// Unpools one pixel: puts the gradient at the maximum's position, for a vector of channels.
struct UnpoolPixel {
  template <typename Tag>
  HWY_INLINE void operator()(Tag d, int64_t i) const {
    const hn::Rebind<int32_t, Tag> di;
    const hn::Rebind<uint8_t, Tag> du;
    const auto where = hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(du, index + i)));
    const auto g = hn::LoadU(d, gradient + i);
    float at = 0;
    for (int64_t y = 0; y < window.h; ++y) {
      for (int64_t x = 0; x < window.w; ++x, ++at) {
        const auto hit = hn::Eq(where, hn::Set(d, at));
        hn::StoreU(hn::IfThenElseZero(hit, g), d, out + y * row_pitch + x * channels + i);
      }
    }
  }
  PoolWindow window;
  const float* gradient;
  const uint8_t* index;
  int64_t channels, row_pitch;
  float* out;
};

// Sources of dy: the array itself, or pooled gradients unpooled a block at a time.
struct PlainGradient {
  const float* block(const WeightPlan& plan, int64_t pixel, int64_t, float*) const {
    return dy + pixel * plan.shape.out_c;
  }
  const float* dy;
};

struct PooledGradient {
  const float* block(const WeightPlan& plan, int64_t pixel, int64_t rows, float* out) const {
    const PoolWindow& w = plan.window;
    const int64_t channels = plan.shape.out_c, pitch = plan.out_w * channels;
    int64_t at = pixel / (w.h * w.w) * channels;
    for (int64_t y = 0; y < rows; y += w.h) {
      for (int64_t x = 0; x < plan.out_w; x += w.w, at += channels) {
        for_each_vector(channels, UnpoolPixel{w, gradient + at, index + at, channels, pitch,
                                              out + y * pitch + x * channels});
      }
    }
    return out;
  }
  const float* gradient;
  const uint8_t* index;
};

// One part's share of the work.
template <typename Gradient>
class WeightPart {
 public:
  WeightPart(const WeightPlan& plan, const float* x, const Gradient& gradient, bool bias,
             const int64_t* tables, float* scratch)
      : plan_(plan), x_(x), gradient_(gradient), bias_(bias), tables_(tables), sums_(scratch) {
    copy_ = sums_ + plan.sums_floats();
    block_ = copy_ + plan.copy_floats();
    tail_ = block_ + plan.block_floats();
    std::memset(sums_, 0, plan.sums_floats() * sizeof(float));
  }

  void run(int64_t unit) {
    const int64_t image = unit / plan_.units_per_image();
    const int64_t row = unit % plan_.units_per_image() * plan_.block_rows;
    rows_ = std::min(plan_.block_rows, plan_.out_h - row);
    dy_ = gradient_.block(plan_, (image * plan_.out_h + row) * plan_.out_w, rows_, block_);
    base_ = plan_.source.rows_at(x_ + image * plan_.source.h * plan_.source.w * plan_.source.c,
                                 row * plan_.shape.stride_h, plan_.source_rows(rows_), copy_);
    for (int64_t g = 0; g < plan_.shape.groups; ++g) {
      for (int64_t j = 0; j < plan_.group_out; j += plan_.width) run_sliver(g, j);
    }
    if (bias_) {
      for_each_vector(plan_.shape.out_c, ColumnSum{rows_ * plan_.out_w, dy_, plan_.shape.out_c,
                                                   true, sums_ + plan_.kernel_floats()});
    }
  }

 private:
  void run_sliver(int64_t group, int64_t j) {
    const int64_t cols = std::min(plan_.width, plan_.group_out - j),
                  col = group * plan_.group_out + j;
    args_ = {rows_,       tables_ + plan_.rows,
             plan_.out_w, row_pointers_,
             nullptr,     plan_.shape.stride_w * plan_.shape.in_c,
             dy_ + col,   plan_.shape.out_c,
             plan_.width};
    if (cols < plan_.width) {  // a full load at the last pixel would read past the array
      pack_panel({dy_, plan_.shape.out_c, 1}, 0, col, rows_ * plan_.out_w, cols, plan_.width,
                 tail_);
      args_.b = tail_;
      args_.b_step = plan_.width;
    }
    for (int64_t i = 0; i < plan_.rows; i += plan_.tile_rows) {
      add_tile(group, i, std::min(plan_.tile_rows, plan_.rows - i), col, cols);
    }
  }

  void add_tile(int64_t group, int64_t row, int64_t rows, int64_t col, int64_t cols) {
    alignas(64) float tile[kTileFloats];
    for (int64_t r = 0; r < rows; ++r) {
      row_pointers_[r] = base_ + group * plan_.group_in + tables_[row + r];
    }
    pick_micro_kernel(static_cast<int>(rows), static_cast<int>(plan_.width / kLanes), false)(args_,
                                                                                             tile);
    for (int64_t r = 0; r < rows; ++r) {
      for_each_vector(cols,
                      AddRow{tile + r * plan_.width, sums_ + (row + r) * plan_.shape.out_c + col});
    }
  }

  const WeightPlan& plan_;
  const float* x_;
  const Gradient& gradient_;
  bool bias_;
  const int64_t* tables_;
  float* sums_;
  float* copy_;
  float* block_;
  float* tail_;
  int64_t rows_ = 0;
  const float* dy_ = nullptr;
  const float* base_ = nullptr;
  MicroArgs args_;
  const float* row_pointers_[kTileRows] = {};
};

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
