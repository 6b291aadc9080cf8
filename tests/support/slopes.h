#pragma once
#include <functional>
#include <string>

#include "stoker/array.h"

// Gradients against central differences, in float64.
namespace stoker::testing {

using DifferentiableFunction = std::function<Array(const Array& x)>;

// Empty if `gradient` is that of the sum of f(x) * weights; else where it is not. A small x is
// moved element by element; a large one in groups of elements, and in its corners.
std::string wrong_slope(const DifferentiableFunction& f, const Array& x, const Array& weights,
                        const Array& gradient);

}  // namespace stoker::testing
