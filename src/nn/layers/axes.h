#pragma once
#include <algorithm>

#include "nn/config/axes.h"
#include "stoker/layers/axes.h"
#include "stoker/shape.h"

// Axes in configs and of inputs.
namespace stoker::nn {

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

// Non-negative, in order.
inline std::vector<int64_t> normalized(const layers::Axes& axes, int rank) {
  std::vector<int64_t> from_front;
  for (int64_t axis : axes.values) from_front.push_back(normalize_axis(axis, rank));
  std::sort(from_front.begin(), from_front.end());
  return from_front;
}

}  // namespace stoker::nn
