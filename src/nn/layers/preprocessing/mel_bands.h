#pragma once
#include "stoker/array.h"

namespace stoker::nn {

struct MelBandsArgs {
  int64_t frequencies, bands, sampling_rate;
  double low, high;  // hertz
};
// (frequencies, bands): triangles, each from the middle of one neighbour to that of the other, as
// wide as they are heard. The constant part of a signal is in none.
Array mel_bands(const MelBandsArgs& args);

}  // namespace stoker::nn
