#pragma once
#include <cmath>

#include "stoker/dtype.h"

// Tolerances for comparisons: |a - b| <= absolute + relative * |b|. All of them are defined here.
namespace stoker::testing {

struct Tolerance {
  double relative, absolute;
  bool holds(double a, double b) const {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= absolute + relative * std::abs(b);
  }
};

// One op, compared with the same op in a wider type or with another implementation.
inline Tolerance op_tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return {1e-12, 1e-13};
    case DType::float32:
      return {1e-5, 2e-6};
    case DType::float16:
      return {2e-3, 1e-4};
    case DType::bfloat16:
      return {1.6e-2, 1e-3};
    default:
      return {0, 0};
  }
}

// Gradients compared with central differences, in float64 with this step.
inline constexpr double difference_step = 1e-5;
inline constexpr Tolerance difference_tolerance{1e-6, 1e-7};

// Layers, losses and optimizers compared with Keras, relative to the maximum.
inline double keras_tolerance(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 5e-3;
    case DType::bfloat16:
      return 3e-2;
    default:
      return 1e-5;
  }
}

// Whole programs of many ops, whose rounding errors add up.
inline Tolerance program_tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return {1e-9, 1e-10};
    case DType::float16:
      return {1e-2, 5e-3};
    case DType::bfloat16:
      return {8e-2, 4e-2};
    default:
      return {1e-3, 1e-4};
  }
}

}  // namespace stoker::testing
