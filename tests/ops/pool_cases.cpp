#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

using Ints = std::vector<int64_t>;

struct Pool {
  const char* name;
  Shape x;
  Ints size{2, 2}, strides{2, 2}, padding{0, 0, 0, 0};

  graph::Attrs attrs() const {
    return {{"pool_size", size}, {"strides", strides}, {"padding", padding}};
  }
  graph::Attrs shaped() const {
    graph::Attrs all = attrs();
    all.set("shape", x.dims());
    return all;
  }
  int64_t positions(size_t axis) const {
    return (x[static_cast<int>(axis) + 1] + padding[2 * axis] + padding[2 * axis + 1] -
            size[axis]) /
               strides[axis] +
           1;
  }
  Shape y() const { return {x[0], positions(0), positions(1), x[3]}; }

  // The indices into x in the window of output i, with their index in the window.
  std::vector<std::pair<int64_t, int64_t>> window(int64_t i) const {
    const Shape out = y();
    const int64_t c = i % out[3], ow = i / out[3] % out[2], oh = i / out[3] / out[2] % out[1],
                  n = i / out[3] / out[2] / out[1];
    std::vector<std::pair<int64_t, int64_t>> found;
    for (int64_t place = 0; place < size[0] * size[1]; ++place) {
      const int64_t h = oh * strides[0] - padding[0] + place / size[1],
                    w = ow * strides[1] - padding[2] + place % size[1];
      if (h >= 0 && h < x[1] && w >= 0 && w < x[2])
        found.emplace_back(((n * x[1] + h) * x[2] + w) * x[3] + c, place);
    }
    return found;
  }
};

const Pool pools[] = {
    {.name = "halves", .x = {2, 4, 6, 3}},
    {.name = "rest_is_dropped", .x = {1, 5, 7, 2}},
    {.name = "overlapping", .x = {1, 5, 5, 2}, .size = {3, 3}, .strides = {1, 2}},
    {.name = "padded", .x = {1, 5, 4, 2}, .size = {3, 2}, .padding = {1, 1, 0, 1}},
    {.name = "whole", .x = {1, 3, 4, 2}, .size = {3, 4}, .strides = {3, 4}},
    {.name = "no_images", .x = {0, 4, 4, 2}},
};

Plain average(const Pool& pool) {
  return [=](const std::vector<Array>& in) {
    return from_index(pool.y().size(), [&](int64_t i) {
      double sum = 0;
      for (const auto& [at, place] : pool.window(i)) sum += in[0].at(at);
      return sum / static_cast<double>(pool.window(i).size());
    });
  };
}
Plain average_grad(const Pool& pool) {
  return [=](const std::vector<Array>& in) {
    std::vector<double> out(static_cast<size_t>(pool.x.size()), 0);
    for (int64_t i = 0; i < pool.y().size(); ++i)
      for (const auto& [at, place] : pool.window(i))
        out[static_cast<size_t>(at)] += in[0].at(i) / static_cast<double>(pool.window(i).size());
    return out;
  };
}
Plain maximum(const Pool& pool) {
  return [=](const std::vector<Array>& in) {
    return from_index(pool.y().size(), [&](int64_t i) {
      double best = -INFINITY;
      for (const auto& [at, place] : pool.window(i)) best = std::max(best, in[0].at(at));
      return best;
    });
  };
}
// The second input is the index in the window; here always the last one inside the image.
Array last_places(const Pool& pool) {
  std::vector<uint8_t> places;
  for (int64_t i = 0; i < pool.y().size(); ++i)
    places.push_back(static_cast<uint8_t>(pool.window(i).back().second));
  return Array::from(places, pool.y());
}
Plain maximum_grad(const Pool& pool) {
  return [=](const std::vector<Array>& in) {
    std::vector<double> out(static_cast<size_t>(pool.x.size()), 0);
    for (int64_t i = 0; i < pool.y().size(); ++i)
      out[static_cast<size_t>(pool.window(i).back().first)] += in[0].at(i);
    return out;
  };
}

std::vector<OpCase> pool_cases() {
  std::vector<OpCase> cases;
  for (const Pool& pool : pools) {
    const Array x = random_values(pool.x, 1), dy = random_values(pool.y(), 2);
    cases.push_back({"average_pool2d", pool.name, {x}, pool.attrs(), average(pool)});
    cases.push_back({"average_pool2d_grad", pool.name, {dy}, pool.shaped(), average_grad(pool)});
    cases.push_back({"max_pool2d", pool.name, {x}, pool.attrs(), maximum(pool)});
    cases.push_back(
        {"max_pool2d_grad", pool.name, {dy, last_places(pool)}, pool.shaped(), maximum_grad(pool)});
  }
  return cases;
}

const AddCases cases(
    pool_cases(),
    {{"max_pool2d", "rank", {{DType::float32, {4, 4}}}, pools[0].attrs(), "4 dimensions"},
     {"max_pool2d",
      "many_elements",
      {{DType::float32, {1, 40, 40, 1}}},
      Pool{.name = "", .x = {}, .size = {20, 20}}.attrs(),
      "256 elements"},
     {"max_pool2d",
      "only_padding",
      {{DType::float32, {1, 4, 4, 1}}},
      Pool{.name = "", .x = {}, .padding = {2, 0, 0, 0}}.attrs(),
      "padding smaller than"},
     {"average_pool2d",
      "window",
      {{DType::float32, {1, 1, 4, 1}}},
      pools[0].attrs(),
      "window of 2"}});

}  // namespace
}  // namespace stoker::testing
