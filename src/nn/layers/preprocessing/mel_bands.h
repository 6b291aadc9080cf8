#pragma once
#include "stoker/array.h"

namespace stoker::nn {

struct MelBandsArgs {
  int64_t frequencies, bands, sampling_rate;
  double low, high;  // hertz
};
// (frequencies, bands): overlapping triangular filters on the mel scale, each between the centres
// of its neighbours. The DC component is in none.
Array mel_bands(const MelBandsArgs& args);

}  // namespace stoker::nn
