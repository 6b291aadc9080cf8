#pragma once
#include <concepts>
#include <string>

namespace stoker {

// The concatenated little-endian bytes of the values.
template <std::unsigned_integral... T>
std::string little_endian(T... values) {
  std::string out;
  (out.append(reinterpret_cast<const char*>(&values), sizeof(T)), ...);
  return out;
}

}  // namespace stoker
