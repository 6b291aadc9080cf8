#pragma once
#include <fmt/format.h>

#include <vector>

#include "stoker/config.h"
#include "stoker/error.h"

namespace stoker::nn {

// Axes as Keras has them: none, one, a list or a tuple ({"class_name": "__tuple__", "items": […]}).
inline std::vector<int64_t> axes_in(const Config& config) {
  if (config.is_null()) return {};
  if (config.is_int()) return {config.as_int()};
  const Config* items = config.find("items");
  if (!config.is_list() && !items)
    throw InvalidArgument(
        fmt::format("axis must be an integer or a list of them, got {}.", config.to_string()));
  std::vector<int64_t> axes;
  for (const Config& axis : (items ? *items : config).as_list()) axes.push_back(axis.as_int());
  return axes;
}

// One axis is written as a number, as Keras does; none as null.
template <class V>
void visit_axes(V& v, const char* key, std::vector<int64_t>& axes) {
  Config config = axes.empty()       ? Config()
                  : axes.size() == 1 ? Config(axes[0])
                                     : Config(Config::List(axes.begin(), axes.end()));
  v(key, config);
  axes = axes_in(config);
}

}  // namespace stoker::nn
