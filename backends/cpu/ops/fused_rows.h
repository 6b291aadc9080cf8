#pragma once
#include <cstdint>

namespace stoker::cpu {

// SIMD operations on one row of n floats.

void softmax_row(const float* x, float* y, int64_t n);  // y may be x
// log(sum(exp(x - shift))) and shift, the maximum of x.
struct LogSum {
  float log_sum, shift;
};
LogSum log_sum_exp(const float* x, int64_t n);
double row_sum(const float* x, int64_t n);

}  // namespace stoker::cpu
