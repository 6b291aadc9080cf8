#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace stoker::cli {

// For an option's check: a whole number from this one on. CLI11's own checks name the largest
// number of all as the other end.
inline CLI::Validator at_least(int64_t least) {
  return {[least](std::string& given) -> std::string {
            int64_t value = 0;
            if (CLI::detail::lexical_cast(given, value) && value >= least) return "";
            return "expected a whole number from " + std::to_string(least) + " on, got " + given;
          },
          "FROM " + std::to_string(least)};
}

}  // namespace stoker::cli
