#include "data/sources/braces.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "stoker/error.h"

namespace stoker::data {
namespace {

constexpr int64_t most_names = 10'000'000;

std::optional<int64_t> number_of(std::string_view digits) {
  int64_t value = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || failed != std::errc() || end != digits.data() + digits.size() || value < 0)
    return std::nullopt;
  return value;
}

// "000..099": zero-padded to the wider end if one begins with 0.
std::vector<std::string> range_of(std::string_view inside) {
  const size_t dots = inside.find("..");
  if (dots == inside.npos) return {};
  const std::string_view from = inside.substr(0, dots), to = inside.substr(dots + 2);
  const auto first = number_of(from), last = number_of(to);
  if (!first || !last) return {};
  if (std::max(*first, *last) - std::min(*first, *last) >= most_names)
    throw InvalidArgument(fmt::format("\"{{{}}}\" is more than {} names.", inside, most_names));
  const bool zeros = (from.size() > 1 && from[0] == '0') || (to.size() > 1 && to[0] == '0');
  const size_t width = zeros ? std::max(from.size(), to.size()) : 1;
  std::vector<std::string> names;
  const int64_t step = *first <= *last ? 1 : -1;
  for (int64_t i = *first; i != *last + step; i += step)
    names.push_back(fmt::format("{:0{}}", i, width));
  return names;
}

std::vector<std::string> choices_of(std::string_view inside) {
  auto range = range_of(inside);
  if (!range.empty() || inside.find(',') == inside.npos) return range;
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= inside.size();) {
    const size_t end = std::min(inside.find(',', begin), inside.size());
    names.emplace_back(inside.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

}  // namespace

std::vector<std::string> expand_braces(const std::string& text) {
  for (size_t open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
    const size_t close = text.find('}', open);
    if (close == text.npos) break;
    const auto choices = choices_of(std::string_view(text).substr(open + 1, close - open - 1));
    if (choices.empty()) continue;
    const auto rests = expand_braces(text.substr(close + 1));
    std::vector<std::string> names;
    for (const std::string& choice : choices)
      for (const std::string& rest : rests) names.push_back(text.substr(0, open) + choice + rest);
    return names;
  }
  return {text};
}

}  // namespace stoker::data
