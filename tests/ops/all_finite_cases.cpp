#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

// An array with `bad` inserted at an index, next to a finite one.
OpCase with_value(const char* name, double bad, int64_t size, int64_t place, bool first) {
  Array spoiled = random_values({size}, 1).clone();
  spoiled.mutable_data<double>()[static_cast<size_t>(place)] = bad;
  const Array fine = random_values({3, 4}, 2);
  const double expected = std::isfinite(bad) ? 1 : 0;
  return {"all_finite",
          name,
          first ? std::vector{spoiled, fine} : std::vector{fine, spoiled},
          {},
          [=](const std::vector<Array>&) { return std::vector{expected}; }};
}

const AddCases cases({with_value("all", 0.5, 70, 3, true),
                      with_value("infinite", INFINITY, 70, 69, true),
                      with_value("negative", -INFINITY, 5, 0, false),
                      with_value("nan", NAN, 1, 0, false),
                      with_value("far", NAN, 40000, 33333, true),
                      with_value("large", 65504, 9, 4, true),
                      {"all_finite",
                       "scalar",
                       {Array::scalar(1.0)},
                       {},
                       [](const std::vector<Array>&) { return std::vector{1.0}; }},
                      {"all_finite",
                       "empty",
                       {Array(DType::float64, {0})},
                       {},
                       [](const std::vector<Array>&) { return std::vector{1.0}; }}},
                     {{"all_finite", "nothing", {}, {}, "at least one"},
                      {"all_finite", "integers", {{DType::int32, {2}}}, {}, "floating"}});

}  // namespace
}  // namespace stoker::testing
