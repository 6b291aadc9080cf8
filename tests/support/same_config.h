#pragma once
#include <fmt/format.h>

#include <string>

#include "stoker/config.h"

namespace stoker::golden {

// The difference between two configs as Python sees them: 2 equals 2.0 and keys have no order.
// Empty if equal.
inline std::string config_difference(const Config& got, const Config& want,
                                     const std::string& path = "") {
  const std::string differs =
      fmt::format("{}: {} instead of {}", path, got.to_string(), want.to_string());
  if (got.is_number() && want.is_number())
    return got.as_double() == want.as_double() ? "" : differs;
  if (got.is_list() && want.is_list()) {
    if (got.as_list().size() != want.as_list().size()) return differs;
    for (size_t i = 0; i < got.as_list().size(); ++i)
      if (auto found = config_difference(got.as_list()[i], want.as_list()[i],
                                         fmt::format("{}[{}]", path, i));
          !found.empty())
        return found;
    return {};
  }
  if (!got.is_map() || !want.is_map()) return got == want ? "" : differs;
  for (const auto& [key, value] : want.as_map())
    if (!got.find(key)) return fmt::format("{}: \"{}\" is missing", path, key);
  for (const auto& [key, value] : got.as_map()) {
    const Config* wanted = want.find(key);
    if (!wanted) return fmt::format("{}: \"{}\" is too much", path, key);
    if (auto found = config_difference(value, *wanted, path + "." + key); !found.empty())
      return found;
  }
  return {};
}

}  // namespace stoker::golden
