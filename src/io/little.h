#pragma once
#include <concepts>
#include <string>

namespace stoker {

// The values' bytes one after the other, as files that are little-endian have them.
template <std::unsigned_integral... T>
std::string little(T... values) {
  std::string out;
  (out.append(reinterpret_cast<const char*>(&values), sizeof(T)), ...);
  return out;
}

}  // namespace stoker
