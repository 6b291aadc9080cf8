#pragma once
#include <cstdint>

#include "io/images/resize_axis.h"

namespace stoker::images {

// The inner loops of resize, vectorised.

// out[i] = sum of weights[t] * rows[t][i].
void weigh_rows(const uint8_t* const* rows, const float* weights, int taps, int64_t n, float* out);
void weigh_rows(const float* const* rows, const float* weights, int taps, int64_t n, float* out);

// One row of the result, normalised. `row` begins at pixel `first`; four floats past its end may be
// read.
void weigh_columns(const float* row, int64_t first, const Axis& axis, int channels,
                   const Normalization& normalization, float* out);

void round_to_bytes(const float* values, int64_t n, uint8_t* out);  // with saturation

inline constexpr int64_t overread = 4;

}  // namespace stoker::images
