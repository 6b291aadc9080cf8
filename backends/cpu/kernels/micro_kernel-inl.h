// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_MICRO_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_MICRO_KERNEL_INL_H_
#undef STOKER_MICRO_KERNEL_INL_H_
#else
#define STOKER_MICRO_KERNEL_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <cstdint>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// A tile has kTileRows x kTileCols sums, all accumulated in registers.
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kRegisters = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM ? 32 : 16;
constexpr int kTileRows = kRegisters == 32 ? 12 : 6;
constexpr int kTileVecs = 2;
constexpr int kTileCols = kTileVecs * kLanes;
constexpr int kWideVecs = kRegisters == 32 ? 8 : 4;  // for one to three rows
constexpr int kWideRows = 3;
// At least some 4x4 blocks on every target.
constexpr int kTileFloats = kTileRows * kTileCols > 256 ? kTileRows* kTileCols : 256;

// sums[i][j] = sum over runs r and steps k of row(i)[run_offsets[r] + k * a_step] * b[..][j], where
// b advances by b_step with every step. A matrix product has one run, a convolution one per kernel
// row, its weight gradient one per image row.
struct MicroArgs {
  int64_t runs = 1;
  const int64_t* run_offsets = nullptr;
  int64_t length = 0;
  const float* const* rows = nullptr;  // one pointer per row ...
  const float* a = nullptr;            // ... or, for contiguous rows, the first one
  int64_t a_step = 0;
  const float* b = nullptr;
  int64_t b_step = 0;
  int64_t pitch = 0;  // between the rows of sums
};

template <int kRows, bool kContiguous>
struct RowReader;

template <int kRows>
struct RowReader<kRows, true> {
  RowReader(const MicroArgs& args, int64_t offset) : a(args.a + offset) {}
  HWY_INLINE float at(int row) const { return a[row]; }
  HWY_INLINE void advance(int64_t step) { a += step; }
  const float* a;
};

template <int kRows>
struct RowReader<kRows, false> {
  RowReader(const MicroArgs& args, int64_t offset) : position(offset) {
    for (int i = 0; i < kRows; ++i) rows[i] = args.rows[i];
  }
  HWY_INLINE float at(int row) const { return rows[row][position]; }
  HWY_INLINE void advance(int64_t step) { position += step; }
  const float* rows[kRows];
  int64_t position;
};

template <int kRows, int kVecs, typename Reader>
HWY_INLINE void step(const Reader& reader, const float* HWY_RESTRICT b, V (&sums)[kRows][kVecs]) {
  const D d;
  V columns[kVecs];
#pragma GCC unroll 16
  for (int j = 0; j < kVecs; ++j) columns[j] = hn::LoadU(d, b + j * kLanes);
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
    const V value = hn::Set(d, reader.at(i));
#pragma GCC unroll 16
    for (int j = 0; j < kVecs; ++j) sums[i][j] = hn::MulAdd(value, columns[j], sums[i][j]);
  }
}

template <int kRows, int kVecs, bool kContiguous>
void micro_kernel(const MicroArgs& args, float* HWY_RESTRICT tile) {
  const D d;
  V sums[kRows][kVecs];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 16
    for (int j = 0; j < kVecs; ++j) sums[i][j] = hn::Zero(d);
  const float* HWY_RESTRICT b = args.b;
  const int64_t a_step = args.a_step, b_step = args.b_step;
  for (int64_t run = 0; run < args.runs; ++run) {
    RowReader<kRows, kContiguous> reader(args, args.run_offsets ? args.run_offsets[run] : 0);
    for (int64_t k = args.length; k > 0; --k) {
      step<kRows, kVecs>(reader, b, sums);
      reader.advance(a_step);
      b += b_step;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 16
    for (int j = 0; j < kVecs; ++j) hn::Store(sums[i][j], d, tile + i * args.pitch + j * kLanes);
}

using MicroKernel = void (*)(const MicroArgs&, float*);

template <int kVecs, bool kContiguous, int... kRowsMinusOne>
constexpr std::array<MicroKernel, sizeof...(kRowsMinusOne)> micro_table(
    std::integer_sequence<int, kRowsMinusOne...>) {
  return {&micro_kernel<kRowsMinusOne + 1, kVecs, kContiguous>...};
}

template <int kVecs, bool kContiguous, int kMaxRows>
MicroKernel pick_rows(int rows) {
  static constexpr auto table =
      micro_table<kVecs, kContiguous>(std::make_integer_sequence<int, kMaxRows>());
  return table[rows - 1];
}

// vecs is 1, kTileVecs, or (for at most kWideRows rows) kWideVecs.
inline MicroKernel pick_micro_kernel(int rows, int vecs, bool contiguous) {
  if (vecs == kWideVecs) {
    return contiguous ? pick_rows<kWideVecs, true, kWideRows>(rows)
                      : pick_rows<kWideVecs, false, kWideRows>(rows);
  }
  if (vecs == 1) {
    return contiguous ? pick_rows<1, true, kTileRows>(rows) : pick_rows<1, false, kTileRows>(rows);
  }
  return contiguous ? pick_rows<kTileVecs, true, kTileRows>(rows)
                    : pick_rows<kTileVecs, false, kTileRows>(rows);
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
