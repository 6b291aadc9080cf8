#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/philox.h"
#include "io/test_files.h"
#include "stoker/layers/dense.h"
#include "stoker/model.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/optimizers/adam.h"

// Small models and data for the tests of training.
namespace stoker::test {

constexpr int64_t features = 6, classes = 3;

inline Array random_array(const Shape& shape, uint64_t seed = 1) {
  Array array(DType::float32, shape);
  const Philox random{seed};
  uint64_t i = 0;
  for (float& value : array.mutable_data<float>())
    value = static_cast<float>(random(i++, 0)[0]) * 0x1p-31f - 1.0f;
  return array;
}

struct Samples {
  Array x, y;  // the label is the largest of the first three features
};
inline Samples samples(int64_t n, uint64_t seed = 1) {
  Samples made{random_array({n, features}, seed), Array(DType::int32, Shape{n})};
  for (int64_t i = 0; i < n; ++i) {
    const auto row = made.x.data<float>().subspan(static_cast<size_t>(i * features), classes);
    made.y.mutable_data<int32_t>()[static_cast<size_t>(i)] =
        static_cast<int32_t>(std::ranges::max_element(row) - row.begin());
  }
  return made;
}

inline Sequential classifier(double learning_rate = 0.05, uint64_t seed = 3) {
  set_random_seed(seed);
  Sequential model({Input({.shape = {features}}), layers::Dense({.units = 8, .activation = "relu"}),
                    layers::Dense({.units = classes, .activation = "softmax"})});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = learning_rate}),
                 .loss = {"sparse_categorical_crossentropy"},
                 .metrics = {"accuracy"}});
  return model;
}

inline Tensor squared_error(const Tensor& y_true, const Tensor& y_pred) {
  return ops::mean(ops::square(y_true - y_pred), {.axis = {-1}});
}

inline double difference(const std::vector<Array>& a, const std::vector<Array>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (int64_t j = 0; j < a[i].size(); ++j)
      largest = std::max(largest, std::abs(a[i].at(j) - b[i].at(j)));
  return largest;
}
inline double difference(const Array& a, const Array& b) {
  return difference(std::vector{a}, std::vector{b});
}

}  // namespace stoker::test
