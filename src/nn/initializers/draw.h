#pragma once
#include <cstdint>
#include <span>

namespace stoker::nn {

// Independent random numbers, each a function of (seed, position) alone.
void draw_uniform(std::span<float> out, uint64_t seed, double low, double high);
void draw_normal(std::span<float> out, uint64_t seed, double mean, double stddev);
// Truncated at two standard deviations.
void draw_truncated_normal(std::span<float> out, uint64_t seed, double mean, double stddev);

// The quantile function of the standard normal distribution, to float precision from 2^-24 on, the
// smallest probability that is drawn.
float normal_quantile(float probability);

}  // namespace stoker::nn
