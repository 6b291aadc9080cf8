// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_RNN_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_RNN_PRODUCT_INL_H_
#undef STOKER_RNN_PRODUCT_INL_H_
#else
#define STOKER_RNN_PRODUCT_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "core/round_up.h"
#include "kernels/micro_kernel-inl.h"
#include "kernels/rnn.h"
#include "kernels/rnn_cells-inl.h"
#include "kernels/thread_count.h"
#include "ops/elementwise/elementwise_math-inl.h"

// Common part of recurrent kernels: rows of the batch times a packed panel of the kernel, and the
// division of work among threads.
HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

struct VectorMath {
  using Value = V;
  static HWY_INLINE V constant(float value) { return hn::Set(D(), value); }
  static HWY_INLINE V sigmoid(V x) { return Sigmoid()(x); }
  static HWY_INLINE V tanh(V x) { return HyperbolicTangent()(x); }
  static HWY_INLINE V relu(V x) { return Relu()(x); }
  static HWY_INLINE V if_positive(V x, V value) { return ReluGrad()(value, x); }
};

template <typename F>
void with_cell(RnnCell cell, F&& f) {
  switch (cell) {
    case RnnCell::lstm:
      return f(LstmCell<VectorMath>());
    case RnnCell::gru:
      return f(GruCell<VectorMath>());
    case RnnCell::simple_tanh:
      return f(SimpleCell<VectorMath, false>());
    case RnnCell::simple_relu:
      return f(SimpleCell<VectorMath, true>());
  }
}

// Loads the first n lanes; nothing beyond them is accessed.
HWY_INLINE V load_part(const float* from, int64_t n) {
  if (HWY_LIKELY(n == kLanes)) return hn::LoadU(D(), from);
  HWY_ALIGN float lanes[kLanes] = {};
  std::memcpy(lanes, from, static_cast<size_t>(n) * sizeof(float));
  return hn::Load(D(), lanes);
}
HWY_INLINE void store_part(V value, float* to, int64_t n) {
  if (HWY_LIKELY(n == kLanes)) return hn::StoreU(value, D(), to);
  HWY_ALIGN float lanes[kLanes];
  hn::Store(value, D(), lanes);
  std::memcpy(to, lanes, static_cast<size_t>(n) * sizeof(float));
}

// Rows that fit into the registers together with a panel of so many vectors.
template <int kVecs>
constexpr int panel_rows = std::min(12, (kRegisters - kVecs - 1) / kVecs);

// sums[r][v] = row r of a times vector v of the panel, which has kVecs vectors for each k.
template <int kRows, int kVecs>
HWY_INLINE void multiply_panel(const float* a, int64_t lda, int64_t length,
                               const float* HWY_RESTRICT panel, V (&sums)[kRows][kVecs]) {
  const D d;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 16
    for (int v = 0; v < kVecs; ++v) sums[r][v] = hn::Zero(d);
  const float* rows[kRows];
  for (int r = 0; r < kRows; ++r) rows[r] = a + r * lda;
  for (int64_t k = 0; k < length; ++k, panel += kVecs * kLanes) {
    V columns[kVecs];
#pragma GCC unroll 16
    for (int v = 0; v < kVecs; ++v) columns[v] = hn::Load(d, panel + v * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const V value = hn::Set(d, rows[r][k]);
#pragma GCC unroll 16
      for (int v = 0; v < kVecs; ++v) sums[r][v] = hn::MulAdd(value, columns[v], sums[r][v]);
    }
  }
}

// f.template run<rows>(first row) over [begin, end), in blocks of up to kRows.
template <int kRows, typename F>
HWY_INLINE void for_row_blocks(int64_t begin, int64_t end, F& f) {
  for (; begin + kRows <= end; begin += kRows) f.template run<kRows>(begin);
  if constexpr (kRows > 1)
    if (begin < end) for_row_blocks<kRows / 2>(begin, end, f);
}

// A step's work: panels of units, times parts of the batch if there are fewer panels than threads.
struct RnnTasks {
  RnnTasks(int64_t panels_, const RnnSizes& sizes, int gates)
      : RnnTasks(panels_, sizes.batch, threads_for(sizes, gates)) {}
  RnnTasks(int64_t panels_, int64_t batch_, int threads)
      : panels(panels_),
        batch(batch_),
        shares(std::clamp<int64_t>(threads / std::max<int64_t>(panels_, 1), 1,
                                   std::max<int64_t>(batch_ / 8, 1))),
        parts(std::min<int64_t>(threads, panels_ * shares)) {}
  // The work of one step: the threads synchronise after each.
  static int threads_for(const RnnSizes& sizes, int gates) {
    const auto products =
        static_cast<double>(sizes.batch) * static_cast<double>(sizes.units * sizes.units * gates);
    return threads_for_products(products, kLanes, ThreadPool::global().size());
  }
  // f(panel, first row, end of rows) for each task of a thread.
  template <typename F>
  void run_part(int part, F&& f) const {
    const int64_t tasks = panels * shares;
    for (int64_t task = tasks * part / parts; task < tasks * (part + 1) / parts; ++task) {
      const int64_t share = task % shares;
      f(task / shares, batch * share / shares, batch * (share + 1) / shares);
    }
  }
  int64_t panels, batch, shares, parts;
};

inline int64_t vectors_of(int64_t units) { return ceil_div(units, kLanes); }

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
