#pragma once
#include "io/images/resize.h"

namespace stoker::images {

// value * scale + offset per channel.
template <class From>
void normalize(const Pixels<const From>& from, const Normalization& by, const Pixels<float>& to);
extern template void normalize(const Pixels<const uint8_t>&, const Normalization&,
                               const Pixels<float>&);
extern template void normalize(const Pixels<const float>&, const Normalization&,
                               const Pixels<float>&);

// (value - mean) / stddev; each has one number for all channels or one for each of up to four.
Normalization normalization(const std::vector<float>& mean, const std::vector<float>& stddev,
                            int64_t channels);

}  // namespace stoker::images
