// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_EPILOGUE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_EPILOGUE_INL_H_
#undef STOKER_EPILOGUE_INL_H_
#else
#define STOKER_EPILOGUE_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/adam-inl.h"
#include "kernels/gemm.h"
#include "kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Epilogue functors over one row of finished sums. Called as op(tag, i).
struct StoreRow {
  template <typename Tag>
  HWY_INLINE void operator()(Tag d, int64_t i) const {
    auto x = hn::LoadU(d, sums + i);
    if (addend) x = hn::Add(x, hn::LoadU(d, addend + i));
    if (bias) x = hn::Add(x, hn::LoadU(d, bias + i));
    if (relu) x = hn::Max(hn::Zero(d), x);  // this order keeps NaN
    if (mask) x = hn::IfThenElseZero(hn::Gt(hn::LoadU(d, mask + i), hn::Zero(d)), x);
    if (stream) {
      hn::Stream(x, d, out + i);
    } else {
      hn::StoreU(x, d, out + i);
    }
  }
  const float* sums;
  const float* addend;
  const float* bias;
  bool relu;
  const float* mask;
  float* out;
  bool stream = false;  // non-temporal stores; requires alignment of `out`
};

struct AdamRow {
  template <typename Tag>
  HWY_INLINE void operator()(Tag d, int64_t i) const {
    scalars.apply(d, sums + i, w + i, m + i, v + i);
  }
  const AdamScalars& scalars;
  const float* sums;
  float* w;
  float* m;
  float* v;
};

struct AddRow {
  template <typename Tag>
  HWY_INLINE void operator()(Tag d, int64_t i) const {
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, out + i)), d, out + i);
  }
  const float* sums;
  float* out;
};

// A tile of sums in the cache.
struct TileView {
  float* sums;
  int64_t ld;
  int64_t rows, cols;
  int64_t row, col;  // its position in C
};

// Applies an Epilogue to tiles of an output with leading dimension `ldc`.
class TileSink {
 public:
  // `size`: number of outputs; if they exceed the caches they are written by non-temporal stores.
  TileSink(const Epilogue& epilogue, float* c, int64_t ldc, int64_t size)
      : e_(epilogue),
        c_(c),
        ldc_(ldc),
        adam_(epilogue.adam ? *epilogue.adam : kIdle),
        stream_(size >= kStreamFloats && !epilogue.accumulate && ldc % 16 == 0 &&
                reinterpret_cast<uintptr_t>(c) % 64 == 0) {}

  // Must be called before another thread reads what was written.
  void flush() const {
    if (stream_) hwy::FlushStream();
  }

  // `partial` contains the sums of earlier slices of k, or is null.
  void finish(const TileView& tile, const float* partial, int64_t partial_ld) const {
    if (partial && (e_.adam || e_.accumulate)) {
      add_partial(tile, partial, partial_ld);
      partial = nullptr;
    }
    if (e_.adam) return step_adam(tile);
    const bool stream = stream_ && tile.col % 16 == 0 && tile.cols % 16 == 0;
    for (int64_t i = 0; i < tile.rows; ++i) {
      const int64_t at = (tile.row + i) * ldc_ + tile.col;
      const float* addend = partial         ? partial + (tile.row + i) * partial_ld + tile.col
                            : e_.accumulate ? c_ + at
                                            : nullptr;
      for_each_vector(
          tile.cols,
          StoreRow{tile.sums + i * tile.ld, addend, e_.bias ? e_.bias + tile.col : nullptr,
                   e_.activation == Activation::kRelu,
                   e_.mask ? e_.mask + (tile.row + i) * e_.mask_ld + tile.col : nullptr, c_ + at,
                   stream});
    }
  }

 private:
  static constexpr int64_t kStreamFloats = 8 << 20;
  static constexpr float kZero = 0;
  static constexpr AdamStep kIdle{.alpha = &kZero};

  static void add_partial(const TileView& tile, const float* partial, int64_t partial_ld) {
    for (int64_t i = 0; i < tile.rows; ++i) {
      const float* row = partial + (tile.row + i) * partial_ld + tile.col;
      for_each_vector(tile.cols, AddRow{row, tile.sums + i * tile.ld});
    }
  }

  // Contiguous rows are treated as one long row, so that a narrow matrix still fills its vectors.
  void step_adam(const TileView& tile) const {
    const bool flat = tile.cols == ldc_ && tile.ld == ldc_;
    const int64_t rows = flat ? 1 : tile.rows, cols = flat ? tile.rows * tile.cols : tile.cols;
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t at = (tile.row + i) * ldc_ + tile.col;
      for_each_vector(cols, AdamRow{adam_, tile.sums + i * tile.ld, e_.adam->w + at,
                                    e_.adam->m + at, e_.adam->v + at});
    }
  }

  const Epilogue& e_;
  float* c_;
  int64_t ldc_;
  AdamScalars adam_;
  bool stream_;
};

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
