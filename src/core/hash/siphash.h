#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace stoker {

// SipHash-2-4, the keyed hash by which TensorFlow puts strings into buckets when there is a salt.
uint64_t siphash(std::string_view text, const std::array<uint64_t, 2>& key);

}  // namespace stoker
