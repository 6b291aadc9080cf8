#pragma once
#include <cstdint>

namespace stoker::images {

// The inner loops of adjust_saturation and adjust_hue, vectorised: n RGB pixels in place.
void saturate_pixels(uint8_t* pixels, int64_t n, float factor);
void saturate_pixels(float* pixels, int64_t n, float factor);
void turn_pixels(uint8_t* pixels, int64_t n, float delta);
void turn_pixels(float* pixels, int64_t n, float delta);

}  // namespace stoker::images
