#pragma once
#include <cstdlib>
#include <filesystem>

namespace stoker {

// For what is kept between runs: compiled kernels, measured peak rates. Empty: there is none.
inline std::filesystem::path cache_folder() {
  const auto setting = [](const char* variable) -> std::filesystem::path {
    const char* const given = std::getenv(variable);
    return given ? given : "";
  };
  if (const auto given = setting("STOKER_CACHE_DIR"); !given.empty()) return given;
  if (const auto given = setting("XDG_CACHE_HOME"); !given.empty()) return given / "stoker";
  if (const auto home = setting("HOME"); !home.empty()) return home / ".cache" / "stoker";
  return {};
}

}  // namespace stoker
