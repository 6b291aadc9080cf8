#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

struct Unary {
  const char* op;
  double low, high;
  double (*plain)(double);
};
// Ranges avoid kinks, where finite differences are meaningless.
const Unary unaries[] = {
    {"negative", -2, 2, [](double x) { return -x; }},
    {"exp", -3, 3, [](double x) { return std::exp(x); }},
    {"log", 0.1, 5, [](double x) { return std::log(x); }},
    {"log1p", -0.5, 4, [](double x) { return std::log1p(x); }},
    {"expm1", -2, 2, [](double x) { return std::expm1(x); }},
    {"sqrt", 0.1, 5, [](double x) { return std::sqrt(x); }},
    {"rsqrt", 0.1, 5, [](double x) { return 1 / std::sqrt(x); }},
    {"square", -2, 2, [](double x) { return x * x; }},
    {"reciprocal", 0.3, 3, [](double x) { return 1 / x; }},
    {"abs", -2, -0.1, [](double x) { return std::abs(x); }},
    {"sign", -2, 2, [](double x) { return double(x > 0) - double(x < 0); }},
    {"floor", -3, 3, [](double x) { return std::floor(x); }},
    {"sin", -3, 3, [](double x) { return std::sin(x); }},
    {"cos", -3, 3, [](double x) { return std::cos(x); }},
    {"tanh", -4, 4, [](double x) { return std::tanh(x); }},
    {"sigmoid", -6, 6, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"erf", -3, 3, [](double x) { return std::erf(x); }},
    {"relu", -2, -0.1, [](double x) { return x > 0 ? x : 0; }},
    {"relu", 0.1, 2, [](double x) { return x > 0 ? x : 0; }},
    {"copy", -2, 2, [](double x) { return x; }},
    {"stop_gradient", -2, 2, [](double x) { return x; }},
    {"isfinite", -2, 2, [](double) { return 1.0; }},
};

std::vector<OpCase> unary_cases() {
  std::vector<OpCase> cases;
  for (const Unary& u : unaries) {
    const Plain plain = [f = u.plain](const std::vector<Array>& in) {
      return from_index(in[0].size(), [&](int64_t i) { return f(in[0].at(i)); });
    };
    const std::string range = u.low > 0 ? "above_zero" : "range";
    cases.push_back({u.op, range + "_vector", {random_values({37}, 1, u.low, u.high)}, {}, plain});
    cases.push_back(
        {u.op, range + "_matrix", {random_values({3, 5}, 2, u.low, u.high)}, {}, plain});
    cases.push_back({u.op, range + "_scalar", {random_values({}, 3, u.low, u.high)}, {}, plain});
    cases.push_back({u.op, range + "_empty", {random_values({0, 4}, 3, u.low, u.high)}, {}, plain});
  }
  return cases;
}

struct Binary {
  const char* op;
  double low, high;
  double (*plain)(double, double);
};
const Binary binaries[] = {
    {"add", -2, 2, [](double a, double b) { return a + b; }},
    {"subtract", -2, 2, [](double a, double b) { return a - b; }},
    {"multiply", -2, 2, [](double a, double b) { return a * b; }},
    {"divide", 0.5, 2, [](double a, double b) { return a / b; }},
    {"maximum", -2, 2, [](double a, double b) { return std::max(a, b); }},
    {"minimum", -2, 2, [](double a, double b) { return std::min(a, b); }},
    {"power", 0.3, 2, [](double a, double b) { return std::pow(a, b); }},
    {"equal", -2, 2, [](double a, double b) { return double(a == b); }},
    {"not_equal", -2, 2, [](double a, double b) { return double(a != b); }},
    {"greater", -2, 2, [](double a, double b) { return double(a > b); }},
    {"greater_equal", -2, 2, [](double a, double b) { return double(a >= b); }},
    {"less", -2, 2, [](double a, double b) { return double(a < b); }},
    {"less_equal", -2, 2, [](double a, double b) { return double(a <= b); }},
    {"relu_grad", -2, 2, [](double g, double y) { return y > 0 ? g : 0; }},
};

std::vector<OpCase> binary_cases() {
  std::vector<OpCase> cases;
  for (const Binary& op : binaries) {
    auto add = [&](const char* name, const Shape& a, const Shape& b, Plain plain) {
      cases.push_back({op.op,
                       name,
                       {random_values(a, 4, op.low, op.high), random_values(b, 5, op.low, op.high)},
                       {},
                       std::move(plain)});
    };
    add("same", {4, 9}, {4, 9}, [f = op.plain](const std::vector<Array>& in) {
      return from_index(36, [&](int64_t i) { return f(in[0].at(i), in[1].at(i)); });
    });
    add("row", {4, 9}, {9}, [f = op.plain](const std::vector<Array>& in) {
      return from_index(36, [&](int64_t i) { return f(in[0].at(i), in[1].at(i % 9)); });
    });
    add("both_ways", {3, 1}, {4}, [f = op.plain](const std::vector<Array>& in) {
      return from_index(12, [&](int64_t i) { return f(in[0].at(i / 4), in[1].at(i % 4)); });
    });
    add("scalar_left", {}, {2, 3, 2}, [f = op.plain](const std::vector<Array>& in) {
      return from_index(12, [&](int64_t i) { return f(in[0].at(0), in[1].at(i)); });
    });
    add("middle", {2, 1, 3}, {2, 5, 1}, nullptr);
    add("empty", {0, 3}, {3}, nullptr);
  }
  return cases;
}

const Plain cast_plain = [](const std::vector<Array>& in) {
  return from_index(in[0].size(), [&](int64_t i) { return in[0].at(i); });
};
int64_t number(DType dtype) { return static_cast<int64_t>(dtype); }

const AddCases unary(
    unary_cases(),
    {{"exp", "of_integers", {{DType::int32, {3}}}, {}, "floating-point"},
     {"log", "of_two", {{DType::float32, {3}}, {DType::float32, {3}}}, {}, "1 inputs"}});
const AddCases binary(
    binary_cases(),
    {{"add", "mixed_dtypes", {{DType::float32, {3}}, {DType::float64, {3}}}, {}, "one dtype"},
     {"multiply",
      "shapes_that_do_not_fit",
      {{DType::float32, {3}}, {DType::float32, {4}}},
      {},
      "(4,)"},
     {"logical_and", "of_floats", {{DType::float32, {3}}, {DType::float32, {3}}}, {}, "bool"},
     {"select",
      "condition_of_floats",
      {{DType::float32, {3}}, {DType::float32, {3}}, {DType::float32, {3}}},
      {},
      "bool"}});

const AddCases others({
    {"logical_and",
     "flags",
     {random_flags({2, 9}, 1), random_flags({9}, 2)},
     {},
     [](const std::vector<Array>& in) {
       return from_index(18, [&](int64_t i) { return in[0].at(i) * in[1].at(i % 9); });
     }},
    {"logical_or",
     "flags",
     {random_flags({9}, 1), random_flags({9}, 2)},
     {},
     [](const std::vector<Array>& in) {
       return from_index(9, [&](int64_t i) { return std::max(in[0].at(i), in[1].at(i)); });
     }},
    {"logical_not",
     "flags",
     {random_flags({9}, 1)},
     {},
     [](const std::vector<Array>& in) {
       return from_index(9, [&](int64_t i) { return 1 - in[0].at(i); });
     }},
    {"isfinite",
     "odd_values",
     {Array::from<double>({NAN, INFINITY, -INFINITY, 0, -1}, {5})},
     {},
     [](const std::vector<Array>&) {
       return std::vector<double>{0, 0, 0, 1, 1};
     }},
    {"select",
     "same",
     {random_flags({4, 9}, 1), random_values({4, 9}, 2), random_values({4, 9}, 3)},
     {},
     [](const std::vector<Array>& in) {
       return from_index(36,
                         [&](int64_t i) { return in[0].at(i) > 0 ? in[1].at(i) : in[2].at(i); });
     }},
    {"select",
     "spread",
     {random_flags({4, 1}, 1), random_values({9}, 2), random_values({}, 3)},
     {},
     [](const std::vector<Array>& in) {
       return from_index(
           36, [&](int64_t i) { return in[0].at(i / 9) > 0 ? in[1].at(i % 9) : in[2].at(0); });
     }},
    {"select",
     "integers",
     {random_flags({9}, 1), random_indices({9}, 2, 9), random_indices({9}, 3, 9)}},
    {"add", "integers", {random_indices({9}, 2, 9), random_indices({9}, 3, 9)}},
    {"cast", "to_double", {random_values({9}, 1)}, {{"dtype", number(DType::float64)}}, cast_plain},
    {"cast",
     "from_uint8",
     {random_indices({9}, 1, 200, DType::uint8)},
     {{"dtype", number(DType::float32)}},
     cast_plain},
    {"cast", "from_bool", {random_flags({9}, 1)}, {{"dtype", number(DType::float32)}}, cast_plain},
    {"cast",
     "to_int64",
     {random_values({9}, 1, -9, 9)},
     {{"dtype", number(DType::int64)}},
     [](const std::vector<Array>& in) {
       return from_index(9, [&](int64_t i) { return std::trunc(in[0].at(i)); });
     }},
    {"broadcast_to",
     "rows",
     {random_values({3, 1}, 1)},
     {{"shape", std::vector<int64_t>{2, 3, 4}}},
     [](const std::vector<Array>& in) {
       return from_index(24, [&](int64_t i) { return in[0].at(i / 4 % 3); });
     }},
    {"broadcast_to",
     "scalar",
     {random_values({}, 1)},
     {{"shape", std::vector<int64_t>{7}}},
     [](const std::vector<Array>& in) { return std::vector<double>(7, in[0].at(0)); }},
});

}  // namespace
}  // namespace stoker::testing
