#include "ops/elementwise/elementwise_functions.h"

// foreach_target.h compiles this file again for each target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/elementwise/elementwise_float32.cpp"
#include "core/simd_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "ops/elementwise/elementwise_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {

// The remainder that does not fill a vector goes through one on the stack, so that an element's
// result does not depend on its position in a tile.
template <class F>
void unary_tile(const void* a, const void*, const void*, void* out, int64_t n) {
  const D d;
  const auto* x = static_cast<const float*>(a);
  auto* y = static_cast<float*>(out);
  constexpr int64_t lanes = hn::MaxLanes(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(F()(hn::LoadU(d, x + i)), d, y + i);
  if (i == n) return;
  HWY_ALIGN float rest[lanes] = {};
  for (int64_t j = i; j < n; ++j) rest[j - i] = x[j];
  hn::Store(F()(hn::Load(d, rest)), d, rest);
  for (int64_t j = i; j < n; ++j) y[j] = rest[j - i];
}

template <class F>
void binary_tile(const void* a, const void* b, const void*, void* out, int64_t n) {
  const D d;
  const auto *x = static_cast<const float*>(a), *z = static_cast<const float*>(b);
  auto* y = static_cast<float*>(out);
  constexpr int64_t lanes = hn::MaxLanes(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(F()(hn::LoadU(d, x + i), hn::LoadU(d, z + i)), d, y + i);
  if (i == n) return;
  HWY_ALIGN float left[lanes] = {}, right[lanes] = {};
  for (int64_t j = i; j < n; ++j) left[j - i] = x[j], right[j - i] = z[j];
  hn::Store(F()(hn::Load(d, left), hn::Load(d, right)), d, left);
  for (int64_t j = i; j < n; ++j) y[j] = left[j - i];
}

void select_tile(const void* condition, const void* a, const void* b, void* out, int64_t n) {
  const D d;
  const hn::Rebind<uint8_t, D> du;
  const hn::Rebind<int32_t, D> di;
  const auto* c = static_cast<const uint8_t*>(condition);
  const auto *x = static_cast<const float*>(a), *z = static_cast<const float*>(b);
  auto* y = static_cast<float*>(out);
  constexpr int64_t lanes = hn::MaxLanes(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto chosen = hn::Ne(hn::PromoteTo(di, hn::LoadU(du, c + i)), hn::Zero(di));
    hn::StoreU(hn::IfThenElse(hn::RebindMask(d, chosen), hn::LoadU(d, x + i), hn::LoadU(d, z + i)),
               d, y + i);
  }
  for (; i < n; ++i) y[i] = c[i] ? x[i] : z[i];
}

struct Entry {
  std::string_view op;
  TileFunction function;
};

TileFunction find_function(std::string_view op) {
  static constexpr Entry entries[] = {
      {"add", binary_tile<Add>},
      {"subtract", binary_tile<Subtract>},
      {"multiply", binary_tile<Multiply>},
      {"divide", binary_tile<Divide>},
      {"maximum", binary_tile<Maximum>},
      {"minimum", binary_tile<Minimum>},
      {"relu_grad", binary_tile<ReluGrad>},
      {"select", select_tile},
      {"negative", unary_tile<Negative>},
      {"square", unary_tile<Square>},
      {"abs", unary_tile<Absolute>},
      {"relu", unary_tile<Relu>},
      {"sqrt", unary_tile<SquareRoot>},
      {"rsqrt", unary_tile<ReciprocalRoot>},
      {"reciprocal", unary_tile<Reciprocal>},
      {"floor", unary_tile<RoundDown>},
      {"exp", unary_tile<Exponential>},
      {"expm1", unary_tile<ExponentialMinus1>},
      {"log", unary_tile<Logarithm>},
      {"log1p", unary_tile<Logarithm1p>},
      {"sigmoid", unary_tile<Sigmoid>},
      {"tanh", unary_tile<HyperbolicTangent>},
      {"erf", unary_tile<ErrorFunction>},
      {"sin", unary_tile<Sine>},
      {"cos", unary_tile<Cosine>},
  };
  for (const Entry& entry : entries)
    if (entry.op == op) return entry.function;
  return nullptr;
}

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::cpu {

HWY_EXPORT(find_function);

TileFunction find_float32_function(std::string_view op) {
  return HWY_DYNAMIC_DISPATCH(find_function)(op);
}

}  // namespace stoker::cpu
#endif
