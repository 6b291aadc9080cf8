#include "nn/layers/preprocessing/mel_bands.h"

#include <algorithm>
#include <cmath>

namespace stoker::nn {
namespace {

// HTK's mel scale; in float32, as Keras rounds.
float mel_of(float hertz) { return 1127 * std::log(1 + hertz / 700); }

// Element i of `count` evenly spaced numbers (linspace).
float step_of(int64_t i, int64_t count, float from, float to) {
  const float width = (to - from) / static_cast<float>(count - 1);
  return i == count - 1 ? to : from + width * static_cast<float>(i);
}

}  // namespace

Array mel_bands(const MelBandsArgs& a) {
  const float low = mel_of(static_cast<float>(a.low)), high = mel_of(static_cast<float>(a.high)),
              nyquist = static_cast<float>(a.sampling_rate) / 2;
  const auto edge = [&](int64_t i) { return step_of(i, a.bands + 2, low, high); };
  Array matrix(DType::float32, {a.frequencies, a.bands});
  auto values = matrix.mutable_data<float>();
  for (int64_t f = 1; f < a.frequencies; ++f) {
    const float mel = mel_of(step_of(f, a.frequencies, 0, nyquist));
    for (int64_t band = 0; band < a.bands; ++band) {
      const float lower = edge(band), middle = edge(band + 1), upper = edge(band + 2);
      const float rises = (mel - lower) / (middle - lower),
                  falls = (upper - mel) / (upper - middle);
      values[static_cast<size_t>(f * a.bands + band)] = std::max(0.0F, std::min(rises, falls));
    }
  }
  return matrix;
}

}  // namespace stoker::nn
