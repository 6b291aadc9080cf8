#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

double softmax_of(const Array& x, int64_t row, int64_t column, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(x.at(row * n + i) - x.at(row * n + column));
  return 1 / sum;
}

OpCase rows_case(const char* op, const char* name, const Array& x, bool logarithm) {
  return {op, name, {x}, {}, [=](const std::vector<Array>& in) {
            const int64_t n = in[0].shape().back();
            return from_index(in[0].size(), [&](int64_t i) {
              const double p = softmax_of(in[0], i / n, i % n, n);
              return logarithm ? std::log(p) : p;
            });
          }};
}

const Plain cross_entropy = [](const std::vector<Array>& in) {
  const int64_t n = in[1].shape().back();
  return from_index(in[0].size(), [&](int64_t r) {
    return -std::log(softmax_of(in[1], r, static_cast<int64_t>(in[0].at(r)), n));
  });
};
const Plain cross_entropy_grad = [](const std::vector<Array>& in) {
  const int64_t n = in[1].shape().back();
  return from_index(in[1].size(), [&](int64_t i) {
    const bool hit = i % n == static_cast<int64_t>(in[0].at(i / n));
    return (in[1].at(i) - (hit ? 1 : 0)) * in[2].at(i / n);
  });
};
std::vector<double> last_row_is_nan(const Plain& plain, std::vector<Array> in, size_t width) {
  auto labels = in[0].clone();
  labels.mutable_data<int64_t>().back() = 0;
  in[0] = labels;
  auto out = plain(in);
  std::fill(out.end() - static_cast<std::ptrdiff_t>(width), out.end(), NAN);
  return out;
}
Array with_bad_label() { return Array::from<int64_t>({0, 2, 7}, {3}); }

const Array matrix = random_values({4, 11}, 1, -3, 3), cube = random_values({2, 3, 5}, 2, -3, 3),
            large = Array::from<double>({700, 710, -800, 1000, 999, 998}, {2, 3}),
            nothing(DType::float64, {0, 5});

const AddCases rows(
    {rows_case("softmax", "matrix", matrix, false), rows_case("softmax", "cube", cube, false),
     rows_case("softmax", "large", large, false), rows_case("softmax", "empty", nothing, false),
     rows_case("log_softmax", "matrix", matrix, true), rows_case("log_softmax", "cube", cube, true),
     rows_case("log_softmax", "empty", nothing, true)},
    {{"softmax", "scalar", {{DType::float32, {}}}, {}, "one axis"},
     {"log_softmax", "integers", {{DType::int32, {2, 3}}}, {}, "floating"}});

const AddCases sparse(
    {{"sparse_softmax_cross_entropy",
      "int64",
      {random_indices({4}, 3, 11), matrix},
      {},
      cross_entropy},
     {"sparse_softmax_cross_entropy",
      "uint8",
      {random_indices({4}, 3, 11, DType::uint8), matrix},
      {},
      cross_entropy},
     {"sparse_softmax_cross_entropy",
      "cube",
      {random_indices({2, 3}, 4, 5), cube},
      {},
      cross_entropy},
     {"sparse_softmax_cross_entropy_grad",
      "rows",
      {random_indices({4}, 3, 11), random_values({4, 11}, 5, 0, 1), random_values({4}, 6)},
      {},
      cross_entropy_grad},
     {"sparse_softmax_cross_entropy_grad",
      "bad_label",
      {with_bad_label(), random_values({3, 4}, 5, 0, 1), random_values({3}, 6)},
      {},
      [](const std::vector<Array>& in) { return last_row_is_nan(cross_entropy_grad, in, 4); }}},
    {{"sparse_softmax_cross_entropy",
      "labels_of_floats",
      {{DType::float32, {4}}, {DType::float32, {4, 3}}},
      {},
      "integer labels"},
     {"sparse_softmax_cross_entropy",
      "rows",
      {{DType::int64, {3}}, {DType::float32, {4, 3}}},
      {},
      "do not fit"}});

// A label out of range gives NaN, and no gradient to compare.
const AddCases bad({{"sparse_softmax_cross_entropy",
                     "bad_label",
                     {with_bad_label(), random_values({3, 4}, 5)},
                     {},
                     [](const std::vector<Array>& in) {
                       return last_row_is_nan(cross_entropy, in, 1);
                     }}});

}  // namespace
}  // namespace stoker::testing
