#pragma once
#include <string>
#include <vector>

namespace stoker::data {

// Brace expansion as in bash: "a{00..02}{x,y}" → a00x, a00y, a01x … Braces without a comma or ".."
// are kept.
std::vector<std::string> expand_braces(const std::string& text);

}  // namespace stoker::data
