#pragma once

#include <cstdint>

// Attention's operations on a row of scores.
namespace stoker::cpu {

// The scores times `scale`.
void scale_scores(float* row, int64_t n, float scale);
// Softmax: scores become weights that sum to one; returns the log-sum-exp.
float scores_to_weights(float* row, int64_t n);
// The same with a known log-sum-exp.
void scores_to_weights(float* row, int64_t n, float logarithm);
// row = scale * weights * (row - mean): gradients of weights become gradients of scores.
void weight_to_score_gradients(float* row, const float* weights, int64_t n, float scale,
                               float mean);

}  // namespace stoker::cpu
