#pragma once
#include <cstdint>
#include <vector>

namespace stoker::nn {

// The boundaries of `bins` bins that hold about equally many of the values, as Keras's
// Discretization finds them: with a summary of quantiles no finer than epsilon.
std::vector<double> quantile_bins(std::vector<float> values, int64_t bins, double epsilon);

}  // namespace stoker::nn
