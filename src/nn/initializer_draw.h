#pragma once
#include <cstdint>
#include <span>

namespace stoker::nn {

// Independent draws, each a function of (seed, position) alone.
void draw_uniform(std::span<float> out, uint64_t seed, double low, double high);
void draw_normal(std::span<float> out, uint64_t seed, double mean, double stddev);
// Cut at two standard deviations.
void draw_truncated_normal(std::span<float> out, uint64_t seed, double mean, double stddev);

// The value below which a unit normal falls with this probability (in (0, 1)): to float precision,
// to three decimals where it is below 1e-7.
float normal_quantile(double probability);

}  // namespace stoker::nn
