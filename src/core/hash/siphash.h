#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace stoker {

// SipHash-2-4, TensorFlow's keyed hash for string buckets with a salt.
uint64_t siphash(std::string_view text, const std::array<uint64_t, 2>& key);

}  // namespace stoker
