#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

OpCase adam_case(const char* name, const Shape& shape) {
  return {"adam_update",
          name,
          {random_values(shape, 1), random_values(shape, 2), random_values(shape, 3, 0.1, 1),
           random_values(shape, 4), Array::scalar(0.125)},
          {{"beta_1", 0.9}, {"beta_2", 0.99}, {"epsilon", 1e-7}},
          [](const std::vector<Array>& in) {
            return from_index(in[0].size(), [&](int64_t i) {
              const double g = in[3].at(i), m = 0.9 * in[1].at(i) + 0.1 * g,
                           v = 0.99 * in[2].at(i) + 0.01 * g * g;
              return in[0].at(i) - 0.125 * m / (std::sqrt(v) + 1e-7);
            });
          }};
}

OpCase conditional_case(const char* name, bool applies, bool scaled) {
  const Shape shape{3, 700};
  const double divisor = scaled ? 4 : 1;
  OpCase one{"adam_update_if",
             name,
             {random_values(shape, 1), random_values(shape, 2), random_values(shape, 3, 0.1, 1),
              random_values(shape, 4), Array::scalar(0.125), Array::scalar(applies)},
             {{"beta_1", 0.9}, {"beta_2", 0.99}, {"epsilon", 1e-7}},
             [=](const std::vector<Array>& in) {
               return from_index(in[0].size(), [&](int64_t i) {
                 if (!applies) return in[0].at(i);
                 const double g = in[3].at(i) / divisor, m = 0.9 * in[1].at(i) + 0.1 * g,
                              v = 0.99 * in[2].at(i) + 0.01 * g * g;
                 return in[0].at(i) - 0.125 * m / (std::sqrt(v) + 1e-7);
               });
             }};
  if (scaled) {
    one.inputs.push_back(Array::scalar(divisor));
    one.attrs.set("scaled", int64_t{1});
  }
  return one;
}

const TensorType weight{DType::float32, {3}}, scalar{DType::float32, {}};
const AddCases cases(
    {adam_case("matrix", {5, 7}), adam_case("scalar", {}), adam_case("empty", {0}),
     conditional_case("applied", true, false), conditional_case("skipped", false, false),
     conditional_case("unscaled", true, true), conditional_case("skipped_unscaled", false, true)},
    {{"adam_update",
      "gradient_shape",
      {weight, weight, weight, {DType::float32, {4}}, scalar},
      {},
      "(4,)"},
     {"adam_update", "step_size", {weight, weight, weight, weight, weight}, {}, "scalar"}});

}  // namespace
}  // namespace stoker::testing
