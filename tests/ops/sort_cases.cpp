#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

// Sorts each row by std::stable_sort; NaN is the largest.
Plain sorted(bool descending) {
  return [=](const std::vector<Array>& in) {
    std::vector<double> out;
    for (int64_t i = 0; i < in[0].size(); ++i) out.push_back(in[0].at(i));
    const int64_t length = in[0].shape().back();
    const auto less = [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); };
    for (auto row = out.begin(); row != out.end(); row += length)
      std::stable_sort(row, row + length,
                       [&](double a, double b) { return descending ? less(b, a) : less(a, b); });
    return out;
  };
}

// Unsorted numbers, no two of which are close.
Array spread(const Shape& shape) {
  std::vector<double> values(static_cast<size_t>(shape.size()));
  const int64_t size = shape.size();
  for (int64_t i = 0; i < size; ++i)
    values[static_cast<size_t>(i)] = static_cast<double>(i * 7919 % size - size / 2) / 4096;
  return Array::from(values, shape);
}

std::vector<OpCase> both_ways(const std::string& name, const Array& x) {
  return {{"sort", name, {x}, {}, sorted(false)},
          {"sort", name + "_descending", {x}, {{"descending", int64_t{1}}}, sorted(true)}};
}

std::vector<OpCase> cases() {
  const double inf = INFINITY;
  const std::vector<std::pair<std::string, Array>> situations{
      {"row", spread({7})},
      {"rows", spread({5, 19})},
      {"many_short_rows", spread({2, 300, 3})},
      {"one_column", spread({4, 1})},
      {"a_power_of_two", spread({3, 64})},
      {"a_block_of_one_row", spread({2, 1500})},
      {"two_parts", spread({2, 4099})},
      {"several_parts", spread({1, 11003})},
      {"empty_rows", Array(DType::float64, {3, 0})},
      {"no_rows", Array(DType::float64, {0, 3})},
      // Equal elements have no gradient, and infinite ones are skipped.
      {"zeros", Array::from<double>({0.0, -0.0, 1, -0.0, 0.0, -inf}, {6})},
      {"not_numbers", Array::from<double>({NAN, 1, -inf, NAN, inf, -2, 3, NAN, NAN, NAN}, {2, 5})},
      {"bytes", random_indices({3, 40}, 2, 256, DType::uint8)},
      {"int8", Array::from<int64_t>({5, -128, 127, -1, 0, 5}, {6}).astype(DType::int8)},
      {"int32",
       Array::from<int64_t>({5, -2147483648, 2147483647, -1, 0, 5}, {6}).astype(DType::int32)},
      {"int64", Array::from<int64_t>({1, INT64_MIN, int64_t{1} << 40, -1, 0, 1}, {6})},
      {"equal_integers_of_parts", random_indices({2, 5000}, 3, 9, DType::int32)},
      {"equal_wide_integers", random_indices({2, 5000}, 3, 9)},
      {"flags", random_flags({2, 9}, 4)},
  };
  std::vector<OpCase> list;
  for (const auto& [name, x] : situations)
    for (OpCase& one : both_ways(name, x)) list.push_back(std::move(one));
  return list;
}

const AddCases sorts(cases(), {{"sort", "scalar", {{DType::float32, {}}}, {}, "scalar"}});

}  // namespace
}  // namespace stoker::testing
