#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

using Axes = std::vector<int64_t>;
using Join = double (*)(double, double);

// Joins every input element into the output element with its kept coordinates.
Plain reduce(const Shape& shape, const Axes& axes, Join join, double start) {
  return [=](const std::vector<Array>& in) {
    std::vector<bool> reduced(static_cast<size_t>(shape.rank()), axes.empty());
    for (int64_t axis : axes)
      reduced[static_cast<size_t>(normalize_axis(axis, shape.rank()))] = true;
    int64_t size = 1;
    for (int d = 0; d < shape.rank(); ++d) size *= reduced[static_cast<size_t>(d)] ? 1 : shape[d];
    std::vector<double> out(static_cast<size_t>(size), start);
    for (int64_t i = 0; i < in[0].size(); ++i) {
      int64_t rest = i, at = 0, stride = 1;
      for (int d = shape.rank(); d-- > 0; rest /= shape[d])
        if (!reduced[static_cast<size_t>(d)]) {
          at += rest % shape[d] * stride;
          stride *= shape[d];
        }
      double& to = out[static_cast<size_t>(at)];
      to = join(to, in[0].at(i));
    }
    return out;
  };
}

struct Kind {
  const char* op;
  Join join;
  double start;
};
const Kind kinds[] = {
    {"reduce_sum", [](double a, double b) { return a + b; }, 0},
    {"reduce_max", [](double a, double b) { return std::max(a, b); }, -INFINITY},
    {"reduce_min", [](double a, double b) { return std::min(a, b); }, INFINITY},
};

struct Situation {
  const char* name;
  Shape shape;
  Axes axes;
  bool keepdims;
};
const Situation situations[] = {
    {"all", {3, 4, 2}, {}, false},
    {"rows", {5, 19}, {1}, false},
    {"columns", {19, 5}, {0}, false},
    {"wide_columns", {3, 150}, {0}, true},
    {"middle", {3, 4, 5}, {1}, false},
    {"outer_two", {3, 4, 5}, {0, 1}, false},
    {"inner_two", {3, 4, 5}, {1, 2}, true},
    {"first_and_last", {3, 4, 5}, {0, -1}, false},
    {"alternating", {2, 3, 2, 3}, {1, 3}, false},
    {"alternating_kept", {2, 3, 2, 3}, {0, 2}, true},
    {"scalar", {}, {}, false},
    {"all_kept", {3, 4}, {}, true},
    {"nothing_kept_empty", {0, 3}, {1}, false},
    {"over_nothing", {3, 0}, {1}, false},
    {"ones", {1, 4, 1}, {0, 2}, false},
};

std::vector<OpCase> reductions() {
  std::vector<OpCase> cases;
  for (const Kind& kind : kinds) {
    for (const Situation& s : situations)
      cases.push_back({kind.op,
                       s.name,
                       {random_values(s.shape, 7)},
                       {{"axis", s.axes}, {"keepdims", int64_t{s.keepdims}}},
                       reduce(s.shape, s.axes, kind.join, kind.start)});
    for (DType dtype : {DType::int32, DType::int64, DType::uint8})
      cases.push_back({kind.op,
                       std::string(name_of(dtype)),
                       {random_indices({5, 6}, 7, 9, dtype)},
                       {{"axis", Axes{0}}, {"keepdims", int64_t{0}}},
                       reduce({5, 6}, {0}, kind.join, kind.start)});
  }
  return cases;
}

OpCase argmax_case(const char* name, const Array& x, int64_t axis, std::vector<double> expected) {
  return {
      "argmax", name, {x}, {{"axis", axis}}, [=](const std::vector<Array>&) { return expected; }};
}

const AddCases cases(
    reductions(),
    {{"reduce_sum",
      "axis",
      {{DType::float32, {2, 3}}},
      {{"axis", Axes{2}}, {"keepdims", int64_t{0}}},
      "axis 2"},
     {"reduce_max",
      "bool",
      {{DType::boolean, {2, 3}}},
      {{"axis", Axes{1}}, {"keepdims", int64_t{0}}},
      "bool"},
     {"argmax", "axis", {{DType::float32, {2, 3}}}, {{"axis", int64_t{5}}}, "axis 5"}});
const Array table = Array::from<double>({1, 5, 5, 7, 2, 3}, {2, 3});
const AddCases argmaxes({argmax_case("last_axis_first_of_equals", table, -1, {1, 0}),
                         argmax_case("first_axis", table, 0, {1, 0, 0}),
                         argmax_case("middle", table.reshape({1, 3, 2}), 1, {1, 1}),
                         argmax_case("integers", table.astype(DType::int32), 1, {1, 0}),
                         argmax_case("empty", Array(DType::float64, {0, 3}), 1, {})});

}  // namespace
}  // namespace stoker::testing
