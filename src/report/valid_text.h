#pragma once
#include <string>
#include <string_view>

namespace stoker::report {

// Replaces bytes that are not UTF-8 by U+FFFD: names of files and layers can contain any.
std::string valid_text(std::string_view text);

}  // namespace stoker::report
