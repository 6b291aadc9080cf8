#pragma once
#include <cstdint>
#include <vector>

namespace stoker::nn {

// Quantiles as bin boundaries: `bins` bins with about equally many values, as Keras's
// Discretization computes them from a quantile summary with resolution epsilon.
std::vector<double> quantile_bins(std::vector<float> values, int64_t bins, double epsilon);

}  // namespace stoker::nn
