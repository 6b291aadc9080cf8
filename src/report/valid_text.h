#pragma once
#include <string>
#include <string_view>

namespace stoker::report {

// With U+FFFD in place of bytes that are not UTF-8: names of files and layers can have any.
std::string valid_text(std::string_view text);

}  // namespace stoker::report
