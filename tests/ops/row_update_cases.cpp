#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

// The sum of the values in each element of a table.
std::vector<double> sums_of(const Array& values, const Array& indices, const Shape& table) {
  const int64_t width = table.size() / table[0];
  std::vector<double> sums(static_cast<size_t>(table.size()), 0);
  for (int64_t i = 0; i < values.size(); ++i)
    if (const auto row = static_cast<int64_t>(indices.at(i / width)); row >= 0 && row < table[0])
      sums[static_cast<size_t>(row * width + i % width)] += values.at(i);
  return sums;
}

Shape values_shape(const Array& indices, const Shape& table) {
  auto dims = indices.shape().dims();
  dims.insert(dims.end(), table.begin() + 1, table.end());
  return Shape(dims);
}

OpCase subtract_case(const char* name, const Shape& table, const Array& indices) {
  return {"subtract_rows",
          name,
          {random_values(table, 1), random_values(values_shape(indices, table), 2), indices},
          {},
          [=](const std::vector<Array>& in) {
            const auto sums = sums_of(in[1], in[2], table);
            return from_index(table.size(), [&](int64_t i) {
              return in[0].at(i) - sums[static_cast<size_t>(i)];
            });
          }};
}

OpCase adam_case(const char* name, const Shape& table, const Array& indices) {
  return {"adam_update_rows",
          name,
          {random_values(table, 1), random_values(table, 2), random_values(table, 3, 0.1, 1),
           random_values(values_shape(indices, table), 4), Array::scalar(0.125), indices},
          {{"beta_1", 0.9}, {"beta_2", 0.99}, {"epsilon", 1e-7}},
          [=](const std::vector<Array>& in) {
            const auto sums = sums_of(in[3], in[5], table);
            return from_index(table.size(), [&](int64_t i) {
              const double g = sums[static_cast<size_t>(i)], m = 0.9 * in[1].at(i) + 0.1 * g,
                           v = 0.99 * in[2].at(i) + 0.01 * g * g;
              return in[0].at(i) - 0.125 * m / (std::sqrt(v) + 1e-7);
            });
          }};
}

const Array few = random_indices({2, 3}, 1, 9), crowded = random_indices({90}, 2, 2),
            stray = Array::from<int64_t>({-1, 0, 3, 9}, {4}), none = Array(DType::int64, {0});
const TensorType weight{DType::float32, {9, 5}}, scalar{DType::float32, {}};
const AddCases cases(
    {subtract_case("rows", {9, 5}, few), subtract_case("scalars", {9}, few.astype(DType::int32)),
     subtract_case("many_in_a_row", {200, 3}, crowded), subtract_case("stray", {9, 2}, stray),
     subtract_case("none", {9, 2}, none), subtract_case("wide", {9, 700}, few),
     adam_case("rows", {9, 5}, few), adam_case("scalars", {9}, few.astype(DType::int32)),
     adam_case("many_in_a_row", {200, 3}, crowded), adam_case("stray", {9, 2}, stray),
     adam_case("none", {9, 2}, none), adam_case("wide", {9, 700}, few),
     adam_case("long", {3000, 2, 3}, random_indices({40, 50}, 3, 3000))},
    {{"subtract_rows",
      "values",
      {weight, {DType::float32, {4, 4}}, {DType::int64, {4}}},
      {},
      "(5,)"},
     {"subtract_rows", "indices", {weight, {DType::float32, {4, 5}}, scalar}, {}, "integer"},
     {"adam_update_rows",
      "moments",
      {weight, scalar, weight, {DType::float32, {4, 5}}, scalar, {DType::int64, {4}}},
      {},
      "does not fit the weight"}});

}  // namespace
}  // namespace stoker::testing
