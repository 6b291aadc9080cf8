// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_CONV2D_FORWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_CONV2D_FORWARD_INL_H_
#undef STOKER_CONV2D_FORWARD_INL_H_
#else
#define STOKER_CONV2D_FORWARD_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "core/round_up.h"
#include "kernels/conv2d.h"
#include "kernels/conv2d_source.h"
#include "kernels/epilogue-inl.h"
#include "kernels/micro_kernel-inl.h"
#include "kernels/pack-inl.h"
#include "kernels/thread_count.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

// An implicit GEMM: a convolution as sums over contiguous runs of inputs, computed a block of
// output rows at a time.
struct ConvPlan {
  Conv2dShape shape;  // out_h() and out_w() are not used: a gradient's source differs from in_h
  ConvSource source;
  PoolWindow window;
  int64_t out_h, out_w;  // rows and columns computed; with pooling those in complete windows
  int64_t block_rows;    // output rows per unit of work
  int64_t runs, length;  // of one output's inputs
  int64_t group_in, group_out;
  int64_t width, slivers;  // columns of packed weights, per group

  int64_t depth() const { return runs * length; }
  int64_t units_per_image() const { return ceil_div(out_h, block_rows); }
  int64_t units() const { return shape.batch * units_per_image(); }
  int64_t source_rows(int64_t rows) const {
    return (rows - 1) * shape.stride_h + (shape.kernel_h - 1) * shape.dilation_h + 1;
  }
  double products() const {
    return static_cast<double>(shape.batch * out_h * out_w) *
           static_cast<double>(depth() * shape.out_c);
  }
  int64_t sliver_floats() const { return depth() * width; }
  int64_t weight_floats() const { return shape.groups * slivers * sliver_floats(); }
  int64_t copy_floats() const { return source.copy_floats(source_rows(block_rows)); }
  int64_t table_entries() const { return block_rows * out_w + runs; }
  int64_t workspace_floats(int threads) const {
    return round_up(weight_floats(), 16) + round_up(2 * table_entries(), 16) +
           threads * copy_floats();
  }
};

inline ConvPlan plan_conv(const Conv2dShape& shape, const ConvSource& source, int64_t out_h,
                          int64_t out_w, const PoolWindow& window) {
  ConvPlan plan{shape, source, window};
  plan.out_h = out_h / window.h * window.h;
  plan.out_w = out_w / window.w * window.w;
  const int64_t rows = std::max<int64_t>(1, 1024 / std::max<int64_t>(1, plan.out_w));
  plan.block_rows = std::min(std::max<int64_t>(1, plan.out_h), round_up(rows, window.h));
  plan.group_in = shape.in_c / shape.groups;
  plan.group_out = shape.out_c / shape.groups;
  const bool joined = shape.groups == 1 && shape.dilation_w == 1;
  plan.runs = joined ? shape.kernel_h : shape.kernel_h * shape.kernel_w;
  plan.length = joined ? shape.kernel_w * shape.in_c : plan.group_in;
  plan.width = plan.group_out <= kLanes ? kLanes : kTileCols;
  plan.slivers = ceil_div(plan.group_out, plan.width);
  return plan;
}

// Offsets into the source: of each run, then of each output pixel of a block in window order.
inline void fill_tables(const ConvPlan& plan, int64_t* tables) {
  const Conv2dShape& s = plan.shape;
  const int64_t taps = plan.runs / s.kernel_h;
  for (int64_t r = 0; r < plan.runs; ++r) {
    *tables++ = r / taps * s.dilation_h * plan.source.pitch() + r % taps * s.dilation_w * s.in_c;
  }
  const PoolWindow& w = plan.window;
  for (int64_t y = 0; y < plan.block_rows; y += w.h) {
    for (int64_t x = 0; x < plan.out_w; x += w.w) {
      for (int64_t p = 0; p < w.h * w.w; ++p) {
        *tables++ =
            (y + p / w.w) * s.stride_h * plan.source.pitch() + (x + p % w.w) * s.stride_w * s.in_c;
      }
    }
  }
}

// Packed as [group][sliver][run * length][width]. For a gradient the kernel is flipped, with its
// last two axes swapped.
inline void pack_weights(const ConvPlan& plan, const float* kernel, bool gradient, int64_t index,
                         float* packed) {
  const int64_t group = index / plan.slivers, j = index % plan.slivers * plan.width;
  const int64_t cols = std::min(plan.width, plan.group_out - j);
  float* out = packed + index * plan.sliver_floats();
  const int64_t out_c = plan.shape.out_c, taps = plan.shape.kernel_h * plan.shape.kernel_w;
  if (!gradient) {
    return pack_panel({kernel, out_c, 1}, 0, group * plan.group_out + j, plan.depth(), cols,
                      plan.width, out);
  }
  for (int64_t tap = 0; tap < taps; ++tap) {  // here in_c is the number of channels of dy
    const float* from = kernel + ((taps - 1 - tap) * plan.group_out + j) * plan.shape.in_c;
    pack_panel({from + group * plan.group_in, 1, plan.shape.in_c}, 0, 0, plan.group_in, cols,
               plan.width, out + tap * plan.group_in * plan.width);
  }
}

// Destinations of a block's sums: directly through a TileSink ...
class StoreSums {
 public:
  StoreSums(const Epilogue& epilogue, float* y, int64_t out_c) : sink_(epilogue, y, out_c, 0) {}
  static int64_t rows_at_once(const ConvPlan&) { return kTileRows; }
  void finish(float* sums, int64_t width, int64_t pixel, int64_t rows, int64_t col,
              int64_t cols) const {
    sink_.finish({sums, width, rows, cols, pixel, col}, nullptr, 0);
  }

 private:
  TileSink sink_;
};

// ... or as the maximum of each window.
class PoolSums {
 public:
  PoolSums(const PoolWindow& window, const float* bias, Activation activation, int64_t out_c,
           float* y, uint8_t* index)
      : pixels_(window.h * window.w),
        bias_(bias),
        relu_(activation == Activation::kRelu),
        out_c_(out_c),
        y_(y),
        index_(index) {}
  int64_t rows_at_once(const ConvPlan&) const {
    return std::max<int64_t>(1, kTileRows / pixels_) * pixels_;
  }
  void finish(float* sums, int64_t width, int64_t pixel, int64_t rows, int64_t col,
              int64_t cols) const {
    for (int64_t r = 0; r < rows; r += pixels_) {
      const int64_t at = (pixel + r) / pixels_ * out_c_ + col;
      for_each_vector(cols, Window{*this, sums + r * width, width, bias_ ? bias_ + col : nullptr,
                                   y_ + at, index_ + at});
    }
  }

 private:
  struct Window {
    template <typename Tag>
    HWY_INLINE void operator()(Tag d, int64_t i) const {
      auto best = hn::LoadU(d, sums + i), where = hn::Zero(d);
      for (int64_t p = 1; p < pool.pixels_; ++p) {
        const auto x = hn::LoadU(d, sums + p * width + i);
        where = hn::IfThenElse(hn::Gt(x, best), hn::Set(d, static_cast<float>(p)), where);
        best = hn::Max(best, x);
      }
      if (bias) best = hn::Add(best, hn::LoadU(d, bias + i));
      if (pool.relu_) {
        where = hn::IfThenElse(hn::Gt(best, hn::Zero(d)), where, hn::Set(d, float{kNoGradient}));
        best = hn::Max(hn::Zero(d), best);  // this order keeps NaN
      }
      hn::StoreU(best, d, y + i);
      const hn::Rebind<int32_t, Tag> di;
      const hn::Rebind<uint8_t, Tag> du;
      hn::StoreU(hn::DemoteTo(du, hn::ConvertTo(di, where)), du, index + i);
    }
    const PoolSums& pool;
    const float* sums;
    int64_t width;
    const float* bias;
    float* y;
    uint8_t* index;
  };

  int64_t pixels_;
  const float* bias_;
  bool relu_;
  int64_t out_c_;
  float* y_;
  uint8_t* index_;
};

// One unit of work: a block of output rows of one image, all output channels.
template <typename Sink>
class ConvUnit {
 public:
  ConvUnit(const ConvPlan& plan, const float* x, const float* weights, const int64_t* tables,
           const Sink& sink, float* copy)
      : plan_(plan), x_(x), weights_(weights), tables_(tables), sink_(sink), copy_(copy) {}

  void run(int64_t unit) {
    const int64_t image = unit / plan_.units_per_image();
    const int64_t row = unit % plan_.units_per_image() * plan_.block_rows;
    const int64_t rows = std::min(plan_.block_rows, plan_.out_h - row);
    pixel0_ = (image * plan_.out_h + row) * plan_.out_w;
    pixels_ = rows * plan_.out_w;
    base_ = plan_.source.rows_at(x_ + image * plan_.source.h * plan_.source.w * plan_.source.c,
                                 row * plan_.shape.stride_h, plan_.source_rows(rows), copy_);
    for (int64_t i = 0; i < plan_.shape.groups * plan_.slivers; ++i) run_sliver(i);
  }

 private:
  void run_sliver(int64_t index) {
    const int64_t group = index / plan_.slivers, j = index % plan_.slivers * plan_.width;
    const int64_t cols = std::min(plan_.width, plan_.group_out - j);
    const int64_t col = group * plan_.group_out + j, step = sink_.rows_at_once(plan_);
    args_ = {plan_.runs,
             tables_,
             plan_.length,
             row_pointers_,
             nullptr,
             1,
             weights_ + index * plan_.sliver_floats(),
             plan_.width,
             plan_.width};
    for (int64_t p = 0; p < pixels_; p += step) {
      const int64_t rows = std::min(step, pixels_ - p);
      for (int64_t r = 0; r < rows; r += kTileRows) {
        sum_tile(p + r, std::min<int64_t>(kTileRows, rows - r), group, sums_ + r * plan_.width);
      }
      sink_.finish(sums_, plan_.width, pixel0_ + p, rows, col, cols);
    }
  }

  void sum_tile(int64_t pixel, int64_t rows, int64_t group, float* sums) {
    const int64_t* offsets = tables_ + plan_.runs + pixel;
    const float* base = base_ + group * plan_.group_in;
    for (int64_t r = 0; r < rows; ++r) row_pointers_[r] = base + offsets[r];
    pick_micro_kernel(static_cast<int>(rows), static_cast<int>(plan_.width / kLanes), false)(args_,
                                                                                             sums);
  }

  const ConvPlan& plan_;
  const float* x_;
  const float* weights_;
  const int64_t* tables_;
  const Sink& sink_;
  float* copy_;
  const float* base_ = nullptr;
  int64_t pixel0_ = 0, pixels_ = 0;
  MicroArgs args_;
  const float* row_pointers_[kTileRows] = {};
  alignas(64) float sums_[(255 + kTileRows) * kTileCols];  // a window may be larger than a tile
};

template <typename Sink>
void run_conv(const ConvPlan& plan, const float* x, const float* kernel, bool gradient,
              const Sink& sink, float* workspace, ThreadPool& pool) {
  float* weights = workspace;
  int64_t* tables = reinterpret_cast<int64_t*>(weights + round_up(plan.weight_floats(), 16));
  float* copies = reinterpret_cast<float*>(tables) + round_up(2 * plan.table_entries(), 16);
  fill_tables(plan, tables);
  const int64_t panels = plan.shape.groups * plan.slivers;
  const int packers = stoker::worthwhile_threads(plan.weight_floats() / 16384, pool.size());
  pool.run(packers, [&](int part) {
    for (int64_t i = panels * part / packers; i < panels * (part + 1) / packers; ++i) {
      pack_weights(plan, kernel, gradient, i, weights);
    }
  });
  const int64_t units = plan.units(),
                threads = threads_for_products(plan.products(), kLanes, pool.size()),
                parts = std::min(threads, units);
  pool.run(static_cast<int>(parts), [&](int part) {
    ConvUnit<Sink> unit(plan, x, weights, tables, sink, copies + part * plan.copy_floats());
    for (int64_t u = units * part / parts; u < units * (part + 1) / parts; ++u) unit.run(u);
  });
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
