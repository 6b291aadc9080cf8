#include <limits>
#include <type_traits>
#include <utility>

#include "core/half.h"
#include "ops/elementwise/elementwise_functions.h"

namespace stoker::cpu {
namespace {

struct Float16 {
  uint16_t bits;
};
struct Bfloat16 {
  uint16_t bits;
};
struct Bool {
  uint8_t bits;
};

template <class T>
auto read(T value) {
  if constexpr (std::is_same_v<T, Float16>)
    return float16_to_float(value.bits);
  else if constexpr (std::is_same_v<T, Bfloat16>)
    return bfloat16_to_float(value.bits);
  else if constexpr (std::is_same_v<T, Bool>)
    return value.bits;
  else
    return value;
}

// Values out of range are clamped, and NaN becomes zero.
template <class To, class From>
To to_integer(From value) {
  constexpr auto low = static_cast<From>(std::numeric_limits<To>::min());
  constexpr auto high = static_cast<From>(std::numeric_limits<To>::max());
  if (value != value) return 0;
  if (value <= low) return std::numeric_limits<To>::min();
  return value >= high ? std::numeric_limits<To>::max() : static_cast<To>(value);
}

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, Float16>)
    return {float_to_float16(static_cast<float>(value))};
  else if constexpr (std::is_same_v<To, Bfloat16>)
    return {float_to_bfloat16(static_cast<float>(value))};
  else if constexpr (std::is_same_v<To, Bool>)
    return {static_cast<uint8_t>(value != 0)};
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
    return to_integer<To>(value);
  else
    return static_cast<To>(value);
}

template <class From, class To>
void cast(const void* a, const void*, const void*, void* out, int64_t n) {
  const From* x = static_cast<const From*>(a);
  To* y = static_cast<To*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = convert<To>(read(x[i]));
}

template <class F>
TileFunction with_storage(DType dtype, F f) {
  switch (dtype) {
    case DType::float32:
      return f(float{});
    case DType::float64:
      return f(double{});
    case DType::float16:
      return f(Float16{});
    case DType::bfloat16:
      return f(Bfloat16{});
    case DType::int8:
      return f(int8_t{});
    case DType::int32:
      return f(int32_t{});
    case DType::int64:
      return f(int64_t{});
    case DType::uint8:
      return f(uint8_t{});
    case DType::boolean:
      return f(Bool{});
  }
  return nullptr;
}

}  // namespace

TileFunction find_cast_function(DType from, DType to) {
  return with_storage(from, [to]<class From>(From) {
    return with_storage(to, []<class To>(To) -> TileFunction { return cast<From, To>; });
  });
}

}  // namespace stoker::cpu
