#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

// The known name most similar to a mistyped one, or "" if none is similar.
std::string nearest(std::string_view name, const std::vector<std::string>& known);
// A sentence for an error's hint: `did you mean "relu"?` or the list of known names.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace stoker
