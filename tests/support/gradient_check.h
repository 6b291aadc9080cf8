#pragma once
#include <functional>
#include <string>

#include "stoker/array.h"

// Compares gradients with central differences, in float64.
namespace stoker::testing {

using DifferentiableFunction = std::function<Array(const Array& x)>;

// Empty if `gradient` is the gradient of the sum of f(x) * weights; else where it differs. A small
// x is perturbed element by element; a large one in groups of elements, and at its corners.
std::string gradient_mismatch(const DifferentiableFunction& f, const Array& x, const Array& weights,
                              const Array& gradient);

}  // namespace stoker::testing
