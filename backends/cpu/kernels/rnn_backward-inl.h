// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_RNN_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_RNN_BACKWARD_INL_H_
#undef STOKER_RNN_BACKWARD_INL_H_
#else
#define STOKER_RNN_BACKWARD_INL_H_
#endif

#include "core/round_up.h"
#include "kernels/rnn_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

// All steps of a recurrence's gradient, from the last to the first. A panel contains, for each
// column of the kernel, the weights of kVecs vectors of units. The gradients of the states before
// the current step are kept in the workspace.
template <class Cell>
class RnnBackwardRun {
 public:
  static constexpr int kGates = Cell::gates, kVecs = 4;
  static size_t workspace(const RnnSizes& s) {
    return static_cast<size_t>(panels(s) * panel_floats(s) + 2 * room(s));
  }
  RnnBackwardRun(const RnnBackward<float>& data, float* workspace)
      : data_(data),
        panels_(workspace),
        direct_(workspace + panels(data) * panel_floats(data)),
        of_c_(direct_ + room(data)) {}

  void run() {
    start();
    const RnnTasks tasks(panels(data_), data_, kGates);
    ThreadPool& pool = ThreadPool::global();
    const int parts = static_cast<int>(tasks.parts);
    pool.run(parts, [&](int part) {
      for (int64_t p = tasks.panels * part / parts; p < tasks.panels * (part + 1) / parts; ++p)
        pack(p);
    });
    for (int64_t t = data_.time - 1; t >= -1; --t)
      pool.run(parts, [&](int part) {
        tasks.run_part(part, [&](int64_t panel, int64_t begin, int64_t end) {
          Step step{*this, t, panel};
          for_row_blocks<panel_rows<kVecs>>(begin, end, step);
        });
      });
    if constexpr (Cell::carry) std::copy_n(of_c_, data_.batch * data_.units, data_.of_c);
  }

 private:
  static int64_t panels(const RnnSizes& s) { return ceil_div(vectors_of(s.units), kVecs); }
  static int64_t panel_floats(const RnnSizes& s) { return s.units * kGates * kVecs * kLanes; }
  static int64_t room(const RnnSizes& s) { return round_up(s.batch * s.units, 16); }

  void start() const {
    const int64_t size = data_.batch * data_.units;
    const auto begin_with = [&](const float* given, float* to) {
      given ? static_cast<void>(std::copy_n(given, size, to))
            : static_cast<void>(std::fill_n(to, size, 0.0f));
    };
    begin_with(data_.of_last_h, direct_);
    begin_with(data_.of_last_c, of_c_);
  }

  // Packs the transposed kernel: a row for each of its columns.
  void pack(int64_t panel) const {
    const int64_t u = data_.units, width = kGates * u, first = panel * kVecs * kLanes;
    float* to = panels_ + panel * panel_floats(data_);
    for (int64_t k = 0; k < width; ++k)
      for (int64_t j = 0; j < kVecs * kLanes; ++j)
        *to++ = first + j < u ? data_.kernel[(first + j) * width + k] : 0.0f;
  }

  struct Step {
    const RnnBackwardRun& run_;
    int64_t t, panel;

    // The gradient from the gates of the following step, then the cell.
    template <int kRows>
    HWY_INLINE void run(int64_t row) const {
      const RnnBackward<float>& d = run_.data_;
      const int64_t u = d.units, width = kGates * u;
      V sums[kRows][kVecs];
      const float* of_gates = Cell::own_inner ? d.of_inner : d.of_x;
      const bool last = t == d.time - 1;
      multiply_panel<kRows, kVecs>(of_gates + ((t + 1) * d.batch + row) * width * (last ? 0 : 1),
                                   width, last ? 0 : width, run_.panels_ + panel * panel_floats(d),
                                   sums);
      for (int r = 0; r < kRows; ++r)
        for (int v = 0; v < kVecs; ++v) {
          const int64_t j = (panel * kVecs + v) * kLanes;
          if (j < u) finish(row + r, j, std::min<int64_t>(kLanes, u - j), sums[r][v]);
        }
    }

    HWY_INLINE void finish(int64_t row, int64_t j, int64_t n, V sum) const {
      const RnnBackward<float>& d = run_.data_;
      const int64_t u = d.units, state = row * u + j, at = t * d.batch + row;
      V of_h = sum + load_part(run_.direct_ + state, n);
      if (t < 0) return store_part(of_h, d.of_h + state, n);
      if (d.of_sequence) of_h = of_h + load_part(d.of_sequence + at * u + j, n);
      float* of_x = d.of_x + at * kGates * u + j;
      float* of_inner = Cell::own_inner ? d.of_inner + at * kGates * u + j : nullptr;
      if (d.mask && d.mask[at] == 0) return skip(of_h, of_x, of_inner, state, n);
      UnitBackward<V, kGates> unit;
      for (int g = 0; g < Cell::kept; ++g)
        unit.kept[g] = load_part(d.gates + (at * 4 + g) * u + j, n);
      const int64_t before = (t == 0 ? row : at - d.batch) * u + j;
      unit.h = load_part(d.sequence + at * u + j, n);
      unit.h_before = load_part((t == 0 ? d.h : d.sequence) + before, n);
      if constexpr (Cell::carry) {
        unit.c = load_part(d.carries + at * u + j, n);
        unit.c_before = load_part((t == 0 ? d.c : d.carries) + before, n);
        unit.of_c = load_part(run_.of_c_ + state, n);
      }
      unit.of_h = of_h;
      Cell::backward(unit);
      for (int g = 0; g < kGates; ++g) {
        store_part(unit.of_x[g], of_x + g * u, n);
        if constexpr (Cell::own_inner) store_part(unit.of_inner[g], of_inner + g * u, n);
      }
      store_part(unit.direct, run_.direct_ + state, n);
      if constexpr (Cell::carry) store_part(unit.of_c, run_.of_c_ + state, n);
    }

    // A masked step, which left the states unchanged.
    HWY_INLINE void skip(V of_h, float* of_x, float* of_inner, int64_t state, int64_t n) const {
      const int64_t u = run_.data_.units;
      for (int g = 0; g < kGates; ++g) {
        std::fill_n(of_x + g * u, n, 0.0f);
        if (of_inner) std::fill_n(of_inner + g * u, n, 0.0f);
      }
      store_part(of_h, run_.direct_ + state, n);
    }
  };

  const RnnBackward<float>& data_;
  float *panels_, *direct_, *of_c_;
};

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
