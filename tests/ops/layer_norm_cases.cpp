#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

constexpr double epsilon = 1e-2;

struct Row {
  double mean = 0, factor = 0;
};
Row row_of(const Array& x, int64_t row) {
  const int64_t columns = x.shape().back();
  const auto count = static_cast<double>(columns);
  Row found;
  double variance = 0;
  for (int64_t i = 0; i < columns; ++i) found.mean += x.at(row * columns + i) / count;
  for (int64_t i = 0; i < columns; ++i)
    variance += std::pow(x.at(row * columns + i) - found.mean, 2) / count;
  found.factor = 1 / std::sqrt(variance + epsilon);
  return found;
}

const Plain normalised = [](const std::vector<Array>& in) {
  const int64_t columns = in[0].shape().back();
  return from_index(in[0].size(), [&](int64_t i) {
    const Row row = row_of(in[0], i / columns);
    return (in[0].at(i) - row.mean) * row.factor * in[1].at(i % columns) + in[2].at(i % columns);
  });
};

// From dy, x, mean, 1 / standard deviation and gamma.
const Plain gradient = [](const std::vector<Array>& in) {
  const int64_t columns = in[1].shape().back();
  const auto unit = [&](int64_t i) {
    return (in[1].at(i) - in[2].at(i / columns)) * in[3].at(i / columns);
  };
  return from_index(in[1].size(), [&](int64_t i) {
    const int64_t first = i / columns * columns;
    double along_mean = 0, along_unit = 0;
    for (int64_t c = 0; c < columns; ++c) {
      const double g = in[0].at(first + c) * in[4].at(c) / static_cast<double>(columns);
      along_mean += g;
      along_unit += g * unit(first + c);
    }
    return in[3].at(i / columns) *
           (in[0].at(i) * in[4].at(i % columns) - along_mean - unit(i) * along_unit);
  });
};

std::vector<OpCase> layer_norm_cases() {
  struct Situation {
    const char* name;
    Shape x;
    double low, high;
  };
  std::vector<OpCase> cases;
  for (const auto& [name, shape, low, high] : {Situation{"rows", {6, 5}, -2, 2},
                                               {"tokens", {3, 4, 32}, -2, 2},
                                               {"many_rows", {300, 8}, -1, 3},
                                               {"off_zero", {4, 40}, 2, 4},
                                               {"wide", {3, 300}, -2, 2}}) {
    const Array x = random_values(shape, 1, low, high), dy = random_values(shape, 2);
    const Shape columns{shape.back()};
    const Array gamma = random_values(columns, 3, 0.5, 2), beta = random_values(columns, 4);
    std::vector<double> means, factors;
    for (int64_t r = 0; r < x.size() / shape.back(); ++r) {
      means.push_back(row_of(x, r).mean);
      factors.push_back(row_of(x, r).factor);
    }
    auto rows = shape.dims();
    rows.pop_back();
    cases.push_back({"layer_norm", name, {x, gamma, beta}, {{"epsilon", epsilon}}, normalised});
    cases.push_back(
        {"layer_norm_grad",
         name,
         {dy, x, Array::from(means, Shape(rows)), Array::from(factors, Shape(rows)), gamma},
         {{"epsilon", epsilon}},
         gradient});
  }
  return cases;
}

const AddCases cases(layer_norm_cases(),
                     {{"layer_norm",
                       "gamma",
                       {{DType::float32, {4, 3}}, {DType::float32, {2}}, {DType::float32, {3}}},
                       {{"epsilon", epsilon}},
                       "one for each column"}});

}  // namespace
}  // namespace stoker::testing
