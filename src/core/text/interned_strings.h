#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stoker {

// Tensors represent a string by its fingerprint; this table maps fingerprints back to strings, for
// code on the host. It only grows.
int64_t id_of_text(std::string_view text);
std::optional<std::string> text_of_id(int64_t id);

}  // namespace stoker
