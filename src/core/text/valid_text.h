#pragma once
#include <string>
#include <string_view>

namespace stoker {

// Replaces bytes that are not UTF-8 by U+FFFD: names of files, layers and programs can
// contain any.
std::string valid_text(std::string_view text);

}  // namespace stoker
