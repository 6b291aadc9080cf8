#include "differential/same_config.h"

namespace stoker::differential {
namespace {

std::string of_maps(const Config& got, const Config& want, const std::string& path) {
  for (const auto& [key, value] : want.as_map()) {
    const Config* found = got.find(key);
    if (!found) return path + "." + key + " is missing";
    if (auto differs = difference(*found, value, path + "." + key); !differs.empty())
      return differs;
  }
  for (const auto& [key, value] : got.as_map())
    if (!want.find(key)) return path + "." + key + " is not Keras's";
  return "";
}

std::string of_lists(const Config& got, const Config& want, const std::string& path) {
  const auto &a = got.as_list(), &b = want.as_list();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (auto differs = difference(a[i], b[i], path + "[" + std::to_string(i) + "]");
        !differs.empty())
      return differs;
  return a.size() == b.size() ? "" : path + " has another length";
}

}  // namespace

std::string difference(const Config& got, const Config& want, const std::string& path) {
  if (got.is_map() && want.is_map()) return of_maps(got, want, path);
  if (got.is_list() && want.is_list()) return of_lists(got, want, path);
  const bool same =
      got.is_number() && want.is_number() ? got.as_double() == want.as_double() : got == want;
  return same ? "" : path + " is " + got.to_string() + " instead of " + want.to_string();
}

Config common(const Config& got, const Config& want) {
  Config shared = Config::map();
  for (const auto& [key, value] : got.as_map())
    if (want.find(key)) shared[key] = value;
  return shared;
}

}  // namespace stoker::differential
