// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_RNN_FORWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_RNN_FORWARD_INL_H_
#undef STOKER_RNN_FORWARD_INL_H_
#else
#define STOKER_RNN_FORWARD_INL_H_
#endif

#include "kernels/rnn_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

// All steps of a recurrence. A panel contains, for each unit of the previous state, the weights of
// one vector of units for every gate.
template <class Cell>
class RnnForwardRun {
 public:
  static constexpr int kGates = Cell::gates;
  static size_t workspace(const RnnSizes& s) {
    return static_cast<size_t>(vectors_of(s.units) * panel_floats(s));
  }
  RnnForwardRun(const RnnForward<float>& data, float* panels) : data_(data), panels_(panels) {}

  void run() {
    const RnnTasks tasks(vectors_of(data_.units), data_, kGates);
    ThreadPool& pool = ThreadPool::global();
    const int parts = static_cast<int>(tasks.parts);
    pool.run(parts, [&](int part) {
      for (int64_t p = tasks.panels * part / parts; p < tasks.panels * (part + 1) / parts; ++p)
        pack(p);
    });
    for (int64_t t = 0; t < data_.time; ++t)
      pool.run(parts, [&](int part) {
        tasks.run_part(part, [&](int64_t panel, int64_t begin, int64_t end) {
          Step step{*this, t, panel};
          for_row_blocks<panel_rows<kGates>>(begin, end, step);
        });
      });
    copy_last();
  }

 private:
  static int64_t panel_floats(const RnnSizes& s) { return s.units * kGates * kLanes; }

  void pack(int64_t panel) const {
    const int64_t u = data_.units, first = panel * kLanes, n = std::min<int64_t>(kLanes, u - first);
    float* to = panels_ + panel * panel_floats(data_);
    for (int64_t k = 0; k < u; ++k)
      for (int g = 0; g < kGates; ++g, to += kLanes)
        hn::Store(load_part(data_.kernel + (k * kGates + g) * u + first, n), D(), to);
  }

  struct Step {
    const RnnForwardRun& run_;
    int64_t t, panel;

    template <int kRows>
    HWY_INLINE void run(int64_t row) const {
      const RnnForward<float>& d = run_.data_;
      const float* before = t == 0 ? d.h : d.sequence + (t - 1) * d.batch * d.units;
      V sums[kRows][kGates];
      multiply_panel<kRows, kGates>(before + row * d.units, d.units, d.units,
                                    run_.panels_ + panel * panel_floats(d), sums);
      for (int r = 0; r < kRows; ++r) finish(row + r, sums[r]);
    }

    HWY_INLINE void finish(int64_t row, const V (&sums)[kGates]) const {
      const RnnForward<float>& d = run_.data_;
      const int64_t u = d.units, j = panel * kLanes, n = std::min<int64_t>(kLanes, u - j);
      const int64_t at = t * d.batch + row, before = (t == 0 ? row : at - d.batch) * u + j;
      UnitForward<V, kGates> unit;
      const float* x = d.x + at * kGates * u + j;
      for (int g = 0; g < kGates; ++g) {
        unit.x[g] = load_part(x + g * u, n);
        unit.inner[g] = d.bias ? sums[g] + load_part(d.bias + g * u + j, n) : sums[g];
      }
      unit.h = load_part((t == 0 ? d.h : d.sequence) + before, n);
      unit.c = Cell::carry ? load_part((t == 0 ? d.c : d.carries) + before, n) : hn::Zero(D());
      const V h = unit.h, c = unit.c;
      Cell::forward(unit);
      const bool runs = !d.mask || d.mask[at] != 0;
      store_part(runs ? unit.h : h, d.sequence + at * u + j, n);
      if constexpr (Cell::carry) store_part(runs ? unit.c : c, d.carries + at * u + j, n);
      for (int g = 0; g < Cell::kept; ++g)
        store_part(unit.kept[g], d.gates + (at * 4 + g) * u + j, n);
    }
  };

  void copy_last() const {
    const int64_t size = data_.batch * data_.units, last = (data_.time - 1) * size;
    std::copy_n(data_.sequence + last, size, data_.last_h);
    if constexpr (Cell::carry) std::copy_n(data_.carries + last, size, data_.last_c);
  }

  const RnnForward<float>& data_;
  float* panels_;
};

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
