#pragma once
#include <fmt/format.h>

#include "stoker/config.h"
#include "stoker/error.h"
#include "stoker/layers/margins.h"

// Margins in configs.
namespace stoker::nn {

inline layers::Margins<1>::Pair margin_from(const Config& config) {
  if (config.is_int()) return {config.as_int(), config.as_int()};
  const auto& list = config.as_list();
  if (list.size() != 2)
    throw InvalidArgument(fmt::format("expected two numbers, got {}.", config.to_string()));
  return {list[0].as_int(), list[1].as_int()};
}

template <size_t n>
layers::Margins<n> margins_from(const Config& config) {
  layers::Margins<n> margins(0);
  if (config.is_int() || n == 1) {
    margins.axes.fill(margin_from(config));
    return margins;
  }
  const auto& list = config.as_list();
  if (list.size() != n)
    throw InvalidArgument(
        fmt::format("expected a number or {} elements, got {}.", n, config.to_string()),
        "write 1, a number for each axis or a pair for each axis.");
  for (size_t i = 0; i < n; ++i) margins.axes[i] = margin_from(list[i]);
  return margins;
}

template <size_t n>
Config config_of(const layers::Margins<n>& margins) {
  Config::List list;
  for (const auto& pair : margins.axes) list.emplace_back(Config::List(pair.begin(), pair.end()));
  return n == 1 ? list[0] : Config(list);
}

template <size_t n, class V>
void visit_margins(const char* key, layers::Margins<n>& margins, V& v) {
  Config config = config_of(margins);
  v(key, config);
  margins = margins_from<n>(config);
}

}  // namespace stoker::nn
