#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace stoker::cli {

// Validator of an option: an integer of at least this value, or this word. CLI11's own checks print
// the largest integer as upper bound.
inline CLI::Validator at_least(int64_t least, const std::string& word = "") {
  const std::string or_word = word.empty() ? "" : " or " + word;
  return {[least, word, or_word](std::string& given) -> std::string {
            int64_t value = 0;
            if (!word.empty() && given == word) return "";
            if (CLI::detail::lexical_cast(given, value) && value >= least) return "";
            return "expected a whole number from " + std::to_string(least) + " on" + or_word +
                   ", got " + given;
          },
          word.empty() ? "N" : "N|" + word};
}

// A number in [0, 1).
inline CLI::Validator share_below_one() {
  return {[](std::string& given) -> std::string {
            double value = 0;
            if (CLI::detail::lexical_cast(given, value) && value >= 0 && value < 1) return "";
            return "expected a number from 0 up to, but not including, 1, got " + given;
          },
          "SHARE"};
}

}  // namespace stoker::cli
