#pragma once
#include <array>
#include <cmath>
#include <cstdint>

namespace stoker {

// Philox4x32-10 (Salmon et al., 2011): counter-based random numbers, a pure function of (key,
// counter), independent of thread count, prefetch depth and restarts.
struct Philox {
  uint64_t key;

  std::array<uint32_t, 4> operator()(uint64_t counter_low, uint64_t counter_high = 0) const {
    std::array<uint32_t, 4> c{
        static_cast<uint32_t>(counter_low), static_cast<uint32_t>(counter_low >> 32),
        static_cast<uint32_t>(counter_high), static_cast<uint32_t>(counter_high >> 32)};
    auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t{0xD2511F53u} * c[0], p1 = uint64_t{0xCD9E8D57u} * c[2];
      c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
           static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    return c;
  }
};

// 24 random bits → [0, 1): every value is exact in float.
inline float uniform_from_bits(uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

// Box-Muller on two words; u is kept away from 0 for the logarithm.
inline std::array<float, 2> normal_from_bits(uint32_t a, uint32_t b) {
  const double u = (static_cast<double>(a) + 1.0) * 0x1p-32, v = static_cast<double>(b) * 0x1p-32;
  const double radius = std::sqrt(-2.0 * std::log(u)), angle = 6.283185307179586 * v;
  return {static_cast<float>(radius * std::cos(angle)),
          static_cast<float>(radius * std::sin(angle))};
}

}  // namespace stoker
