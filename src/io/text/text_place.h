#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "stoker/error.h"

namespace stoker {

struct TextPlace {
  size_t line = 1, column = 1;
};

// Only used for errors, so it may count from the start.
inline TextPlace place_of(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const size_t newline = before.rfind('\n');
  return {1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n')),
          newline == before.npos ? before.size() + 1 : before.size() - newline};
}

// Throws with the place in the form used by compilers, "recipe.toml:3:7".
[[noreturn]] inline void fail_at(const std::string& name, TextPlace place, std::string message,
                                 std::string hint = {}) {
  IoError error(std::move(message), std::move(hint));
  error.add_where(fmt::format("{}:{}:{}", name, place.line, place.column));
  throw error;
}

}  // namespace stoker
