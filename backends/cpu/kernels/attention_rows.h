#pragma once

#include <cstdint>

// What attention does to a row of scores.
namespace stoker::cpu {

// The scores times `scale`.
void scale_scores(float* row, int64_t n, float scale);
// Scores become weights that sum to one; answers the logarithm of their sum of exponentials.
float scores_to_weights(float* row, int64_t n);
// The same with the logarithm known.
void scores_to_weights(float* row, int64_t n, float logarithm);
// row = scale * weights * (row - mean): gradients of weights become those of scores.
void weight_to_score_gradients(float* row, const float* weights, int64_t n, float scale,
                               float mean);

}  // namespace stoker::cpu
