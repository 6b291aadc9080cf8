#pragma once
#include <cstdint>
#include <span>

namespace stoker::nn {

// Independent draws, each a function of (seed, position) alone.
void draw_uniform(std::span<float> out, uint64_t seed, double low, double high);
void draw_normal(std::span<float> out, uint64_t seed, double mean, double stddev);
// Cut at two standard deviations.
void draw_truncated_normal(std::span<float> out, uint64_t seed, double mean, double stddev);

// The value below which a unit normal falls with this probability, to float precision from 2^-24
// on, the smallest that is drawn.
float normal_quantile(float probability);

}  // namespace stoker::nn
