#pragma once
#include <algorithm>

#include "stoker/config.h"
#include "stoker/layers/axes.h"
#include "stoker/shape.h"

// Axes in configs and on inputs.
namespace stoker::nn {

template <class V>
void visit_axes(const char* key, layers::Axes& axes, V& v) {
  Config config = axes.is_list ? Config(Config::List(axes.values.begin(), axes.values.end()))
                               : Config(axes.values[0]);
  v(key, config);
  if (config.is_int()) {
    axes = config.as_int();
  } else {
    std::vector<int64_t> values;
    for (const Config& item : config.as_list()) values.push_back(item.as_int());
    axes = values;
  }
}

// Counted from the front, in order.
inline std::vector<int64_t> normalized(const layers::Axes& axes, int rank) {
  std::vector<int64_t> from_front;
  for (int64_t axis : axes.values) from_front.push_back(normalize_axis(axis, rank));
  std::sort(from_front.begin(), from_front.end());
  return from_front;
}

}  // namespace stoker::nn
