#pragma once
#include <fmt/format.h>

#include <vector>

#include "nn/config/args.h"
#include "stoker/error.h"

namespace stoker::nn {

// Axes as Keras has them: none (all), one, a list or a tuple.
template <class V>
void visit_axes(V& v, const char* key, std::vector<int64_t>& axes) {
  Config config = axes.empty()       ? Config()
                  : axes.size() == 1 ? Config(axes[0])
                                     : Config(Config::List(axes.begin(), axes.end()));
  v(key, config);
  axes.clear();
  const Config* items = config.find("items");  // {"class_name": "__tuple__", "items": […]}
  if (config.is_int()) axes.push_back(config.as_int());
  if (config.is_list() || items)
    for (const Config& axis : (items ? *items : config).as_list()) axes.push_back(axis.as_int());
  else if (!config.is_int() && !config.is_null())
    throw InvalidArgument(
        fmt::format("axis must be an integer or a list of them, got {}.", config.to_string()));
}

}  // namespace stoker::nn
