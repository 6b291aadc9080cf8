#pragma once

#include <cstdint>

namespace stoker::cpu {

// Keras's Adam: w -= w * decay; m += (g - m)(1 - beta_1); v += (g² - v)(1 - beta_2);
// w -= m * alpha / (sqrt(v) + epsilon), where alpha is the bias-corrected learning rate.
// Pointers to scalars are read at run time, because schedules change them between steps.
struct AdamStep {
  float* w = nullptr;
  float* m = nullptr;
  float* v = nullptr;
  const float* alpha = nullptr;
  const float* grad_scale = nullptr;  // absent: 1
  const float* decay = nullptr;       // weight_decay * learning_rate; absent: 0
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
};

// One step over flat arrays of n floats.
void adam_update(int64_t n, const AdamStep& step, const float* gradient);

// out[j] (+)= sum over i of x[i * ld + j]: a bias gradient.
void column_sums(int64_t rows, int64_t cols, const float* x, int64_t ld, bool accumulate,
                 float* out);

}  // namespace stoker::cpu
