#pragma once
#include <cstdint>
#include <string_view>

namespace stoker {

// FarmHash's Fingerprint64, TensorFlow's hash for string buckets.
uint64_t fingerprint64(std::string_view text);

}  // namespace stoker
