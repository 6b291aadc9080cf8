#include "stoker/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace stoker {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Damerau-Levenshtein (adjacent swaps count once), ignoring case.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    last = now;
  }
  return last[b.size()];
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (c == '_')
      words.emplace_back();
    else
      words.back() += lower(c);
  }
  return words;
}

// The shortest known name that contains all words of the given one.
std::string with_words(std::string_view name, const std::vector<std::string>& known) {
  const auto words = words_of(name);
  std::string best;
  for (const auto& candidate : known) {
    const auto there = words_of(candidate);
    const bool has_all = std::ranges::all_of(
        words, [&](const auto& word) { return std::ranges::find(there, word) != there.end(); });
    if (has_all && (best.empty() || candidate.size() < best.size())) best = candidate;
  }
  return words.size() > 1 ? best : "";
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  if (auto found = with_words(name, known); !found.empty()) return found;
  std::string best;
  // A third of the letters may differ: one in "foo", so that it does not suggest "Dot".
  size_t best_distance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const auto& candidate : known) {
    const size_t d = edit_distance(name, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  if (auto near = nearest(name, known); !near.empty())
    return fmt::format("did you mean \"{}\"?", near);
  auto sorted = known;
  std::sort(sorted.begin(), sorted.end());
  return fmt::format("known are: {}.", fmt::join(sorted, ", "));
}

}  // namespace stoker
