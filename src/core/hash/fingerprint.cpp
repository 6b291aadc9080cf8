#include "core/hash/fingerprint.h"

#include <bit>
#include <cstring>
#include <utility>

// The published algorithm "farmhashna" with its constants.
namespace stoker {
namespace {

constexpr uint64_t k0 = 0xc3a5c85c97cb3127ULL, k1 = 0xb492b66fbe98f273ULL,
                   k2 = 0x9ae16a3b2f90404fULL;

template <class Word>
uint64_t read(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}
uint64_t read64(const char* at) { return read<uint64_t>(at); }

uint64_t mixed(uint64_t value) { return value ^ (value >> 47); }

uint64_t combined(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = mixed((u ^ v) * factor);
  return mixed((v ^ a) * factor) * factor;
}

uint64_t up_to_16(const char* s, size_t n) {
  if (n >= 8) {
    const uint64_t factor = k2 + n * 2, a = read64(s) + k2, b = read64(s + n - 8);
    const uint64_t c = std::rotr(b, 37) * factor + a, d = (std::rotr(a, 25) + b) * factor;
    return combined(c, d, factor);
  }
  if (n >= 4) return combined(n + (read<uint32_t>(s) << 3), read<uint32_t>(s + n - 4), k2 + n * 2);
  if (n == 0) return k2;
  const uint64_t first = static_cast<uint8_t>(s[0]), middle = static_cast<uint8_t>(s[n >> 1]),
                 last = static_cast<uint8_t>(s[n - 1]);
  return mixed(((first + (middle << 8)) * k2) ^ ((n + (last << 2)) * k0)) * k2;
}

uint64_t up_to_32(const char* s, size_t n) {
  const uint64_t factor = k2 + n * 2, a = read64(s) * k1, b = read64(s + 8);
  const uint64_t c = read64(s + n - 8) * factor, d = read64(s + n - 16) * k2;
  return combined(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + k2, 18) + c,
                  factor);
}

uint64_t up_to_64(const char* s, size_t n) {
  const uint64_t factor = k2 + n * 2, a = read64(s) * k2, b = read64(s + 8);
  const uint64_t c = read64(s + n - 8) * factor, d = read64(s + n - 16) * k2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = combined(y, a + std::rotr(b + k2, 18) + c, factor);
  const uint64_t e = read64(s + 16) * factor, f = read64(s + 24);
  const uint64_t g = (y + read64(s + n - 32)) * factor, h = (z + read64(s + n - 24)) * factor;
  return combined(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g,
                  factor);
}

using Pair = std::pair<uint64_t, uint64_t>;

// 32 bytes and two seeds.
Pair weak(const char* s, uint64_t a, uint64_t b) {
  const uint64_t w = read64(s), x = read64(s + 8), y = read64(s + 16), z = read64(s + 24);
  a += w;
  b = std::rotr(b + a + z, 21);
  const uint64_t c = a;
  a += x + y;
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

// A state of 56 bytes that consumes 64 at a time.
struct Long {
  uint64_t x, y, z;
  Pair v{0, 0}, w{0, 0};

  void eat(const char* s, uint64_t factor, uint64_t weight) {
    x = std::rotr(x + y + v.first + read64(s + 8), 37) * factor;
    y = std::rotr(y + v.second + read64(s + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + read64(s + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = weak(s, v.second * factor, x + w.first);
    w = weak(s + 32, z + w.second, y + read64(s + 16));
    std::swap(z, x);
  }
};

uint64_t longer(const char* s, size_t n) {
  constexpr uint64_t seed = 81;
  Long state{seed * k2 + read64(s), seed * k1 + 113, mixed((seed * k1 + 113) * k2 + 113) * k2};
  const char* end = s + (n - 1) / 64 * 64;
  const char* last64 = end + ((n - 1) & 63) - 63;
  for (; s != end; s += 64) state.eat(s, k1, 1);
  const uint64_t factor = k1 + ((state.z & 0xff) << 1);
  state.w.first += (n - 1) & 63;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.eat(last64, factor, 9);
  return combined(combined(state.v.first, state.w.first, factor) + mixed(state.y) * k0 + state.z,
                  combined(state.v.second, state.w.second, factor) + state.x, factor);
}

}  // namespace

uint64_t fingerprint64(std::string_view text) {
  const char* s = text.data();
  const size_t n = text.size();
  if (n <= 16) return up_to_16(s, n);
  if (n <= 32) return up_to_32(s, n);
  return n <= 64 ? up_to_64(s, n) : longer(s, n);
}

}  // namespace stoker
