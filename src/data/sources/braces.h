#pragma once
#include <string>
#include <vector>

namespace stoker::data {

// As bash does: "a{00..02}{x,y}" → a00x, a00y, a01x … Braces without a comma or ".." stay.
std::vector<std::string> expand_braces(const std::string& text);

}  // namespace stoker::data
