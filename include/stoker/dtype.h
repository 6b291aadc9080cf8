#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace stoker {

// The values are part of the backend interface: append, never reorder.
enum class DType : int32_t {
  float32 = 0,
  float64 = 1,
  float16 = 2,
  bfloat16 = 3,
  int8 = 4,
  int32 = 5,
  int64 = 6,
  uint8 = 7,
  boolean = 8,
};
inline constexpr int num_dtypes = 9;

size_t size_of(DType dtype);
std::string_view name_of(DType dtype);     // Keras's names: "float32", "bool", …
DType parse_dtype(std::string_view name);  // throws InvalidArgument
bool is_floating(DType dtype);
inline bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }
bool is_integer(DType dtype);  // bool is not an integer

template <class T>
inline constexpr DType dtype_of = [] {
  if constexpr (std::is_same_v<T, float>)
    return DType::float32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::float64;
  else if constexpr (std::is_same_v<T, bool>)
    return DType::boolean;
  else if constexpr (std::is_same_v<T, int8_t>)
    return DType::int8;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return DType::uint8;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DType::int32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return DType::int64;
  else
    static_assert(sizeof(T) == 0, "no Stoker dtype for this type");
}();

}  // namespace stoker
