#include "stoker/random.h"

#include <fmt/format.h>

#include "core/philox.h"
#include "stoker/error.h"

namespace stoker {
namespace {

uint64_t joined(uint32_t low, uint32_t high) { return low | (uint64_t{high} << 32); }

}  // namespace

// Pass and number fill a whole counter, so they select the key of a separate stream.
uint32_t Random::bits() {
  if (drawn_ == 0) {
    const auto key = Philox{seed_}(number_, pass_);
    stream_ = joined(key[0], key[1]);
  }
  if (drawn_ % 4 == 0) words_ = Philox{stream_}(drawn_ / 4, stage_);
  return words_[drawn_++ % 4];
}

float Random::uniform() { return uniform_from_bits(bits()); }

float Random::uniform(float low, float high) { return low + (high - low) * uniform(); }

float Random::normal() {
  const uint32_t first = bits();
  return normal_from_bits(first, bits())[0];
}

int64_t Random::below(int64_t end) {
  if (end < 1 || end > int64_t{1} << 32)
    throw InvalidArgument(fmt::format("Random::below: 1 to 2^32 values, got {}.", end));
  return static_cast<int64_t>((uint64_t{bits()} * static_cast<uint64_t>(end)) >> 32);
}

}  // namespace stoker
