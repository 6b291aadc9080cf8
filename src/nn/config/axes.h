#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "stoker/config.h"
#include "stoker/error.h"
#include "stoker/layers/axes.h"
#include "stoker/shape.h"

// Axes in configs: axis=-1, axis=[1, 2] or axis=None.
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

// Always a list, as layers write that keep a tuple of axes.
template <class V>
void visit_axis_list(V& v, const char* key, std::vector<int64_t>& axes) {
  Config config = Config::List(axes.begin(), axes.end());
  v(key, config);
  axes = axes_in(config);
}

// A number or a list, as it was given.
template <class V>
void visit_axes(V& v, const char* key, layers::Axes& axes) {
  Config config = axes.is_list ? Config(Config::List(axes.values.begin(), axes.values.end()))
                               : Config(axes.values[0]);
  v(key, config);
  if (config.is_int())
    axes = config.as_int();
  else
    axes = axes_in(config);
}

// Non-negative, in ascending order.
inline std::vector<int64_t> normalized(const layers::Axes& axes, int rank) {
  std::vector<int64_t> from_front;
  for (int64_t axis : axes.values) from_front.push_back(normalize_axis(axis, rank));
  std::sort(from_front.begin(), from_front.end());
  return from_front;
}

}  // namespace stoker::nn
