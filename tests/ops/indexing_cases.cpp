#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

int64_t index_at(const Array& array, int64_t i) { return static_cast<int64_t>(array.at(i)); }

Plain one_hot(int64_t depth) {
  return [=](const std::vector<Array>& in) {
    return from_index(in[0].size() * depth, [&](int64_t i) {
      return index_at(in[0], i / depth) == i % depth ? 1.0 : 0.0;
    });
  };
}
graph::Attrs one_hot_attrs(int64_t depth, DType dtype) {
  return {{"depth", depth}, {"dtype", static_cast<int64_t>(dtype)}};
}

Plain gather(int64_t width, double missing = 0) {
  return [=](const std::vector<Array>& in) {
    return from_index(in[1].size() * width, [&](int64_t i) {
      const int64_t row = index_at(in[1], i / width);
      return row < 0 || row >= in[0].shape()[0] ? missing : in[0].at(row * width + i % width);
    });
  };
}
Plain scatter_add(int64_t rows, int64_t width) {
  return [=](const std::vector<Array>& in) {
    std::vector<double> out(static_cast<size_t>(rows * width), 0);
    for (int64_t i = 0; i < in[0].size(); ++i)
      if (const int64_t row = index_at(in[1], i / width); row >= 0 && row < rows)
        out[static_cast<size_t>(row * width + i % width)] += in[0].at(i);
    return out;
  };
}
Plain fixed(std::vector<double> values) {
  return [=](const std::vector<Array>&) { return values; };
}

const Array indices = random_indices({2, 3}, 1, 4),
            stray = Array::from<int64_t>({-1, 0, 3, 4}, {4});

const AddCases one_hots(
    {{"one_hot", "float", {indices}, one_hot_attrs(4, DType::float32), one_hot(4)},
     {"one_hot", "stray", {stray}, one_hot_attrs(4, DType::float64), one_hot(4)},
     {"one_hot",
      "bool",
      {stray.astype(DType::int32)},
      one_hot_attrs(4, DType::boolean),
      one_hot(4)},
     {"one_hot",
      "empty",
      {Array(DType::int64, {0})},
      one_hot_attrs(4, DType::float32),
      one_hot(4)}},
    {{"one_hot",
      "of_floats",
      {{DType::float32, {3}}},
      one_hot_attrs(4, DType::float32),
      "integer"}});

const AddCases gathers(
    {{"gather", "rows", {random_values({4, 5}, 1), indices}, {}, gather(5)},
     {"gather", "scalars", {random_values({4}, 1), indices.astype(DType::uint8)}, {}, gather(1)},
     {"gather", "one", {random_values({4, 2, 3}, 1), Array::scalar<int64_t>(2)}, {}, gather(6)},
     {"gather", "stray", {random_values({4, 5}, 1), stray}, {}, gather(5)},
     {"gather",
      "nan_outside",
      {random_values({4, 5}, 1), stray},
      {{"nan_outside", int64_t{1}}},
      gather(5, NAN)},
     {"gather",
      "nan_outside_wide",
      {random_values({4, 8}, 1), stray},
      {{"nan_outside", int64_t{1}}},
      gather(8, NAN)},
     {"gather", "none", {random_values({4, 5}, 1), Array(DType::int64, {0})}, {}, gather(5)},
     {"scatter_add",
      "rows",
      {random_values({2, 3, 5}, 1), indices},
      {{"rows", int64_t{4}}},
      scatter_add(4, 5)},
     {"scatter_add",
      "scalars",
      {random_values({2, 3}, 1), indices},
      {{"rows", int64_t{6}}},
      scatter_add(6, 1)},
     {"scatter_add",
      "stray",
      {random_values({4, 2}, 1), stray},
      {{"rows", int64_t{4}}},
      scatter_add(4, 2)},
     {"scatter_add",
      "large",
      {random_values({60, 7}, 1), random_indices({60}, 2, 90)},
      {{"rows", int64_t{100}}},
      scatter_add(100, 7)},
     {"scatter_add",
      "often",
      {random_values({150, 2}, 1), random_indices({150}, 2, 2)},
      {{"rows", int64_t{40}}},
      scatter_add(40, 2)},
     {"scatter_add",
      "integers",
      {random_indices({2, 3}, 5, 9), indices},
      {{"rows", int64_t{4}}},
      scatter_add(4, 1)}},
    {{"gather",
      "nan_of_integers",
      {{DType::int32, {4, 5}}, {DType::int64, {2}}},
      {{"nan_outside", int64_t{1}}},
      "int32 has no NaN"},
     {"gather", "scalar", {{DType::float32, {}}, {DType::int64, {2}}}, {}, "scalar"},
     {"gather", "by_floats", {{DType::float32, {3}}, {DType::float32, {2}}}, {}, "integer"}});

// Rows: a clear winner, a tie at rank k, not in the top k, a NaN score.
const Array scores = Array::from<double>({5, 1, 2, 3, 3, 1, 1, 2, 3, NAN, 1, 2}, {4, 3});
const AddCases labels({{"in_top_k",
                        "first",
                        {Array::from<int64_t>({0, 1, 0, 2}, {4}), scores},
                        {{"k", int64_t{1}}},
                        fixed({1, 1, 0, 0})},
                       {"in_top_k",
                        "second",
                        {Array::from<int32_t>({2, 2, 1, 2}, {4}), scores},
                        {{"k", int64_t{2}}},
                        fixed({1, 0, 1, 0})},
                       {"in_top_k",
                        "stray",
                        {Array::from<int64_t>({-1, 3, 0, 1}, {4}), scores},
                        {{"k", int64_t{3}}},
                        fixed({0, 0, 1, 0})}},
                      {{"in_top_k",
                        "rows",
                        {{DType::int64, {3}}, {DType::float32, {4, 3}}},
                        {{"k", int64_t{1}}},
                        "do not fit"}});

}  // namespace
}  // namespace stoker::testing
