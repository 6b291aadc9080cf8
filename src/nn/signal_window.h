#pragma once
#include <vector>

#include "stoker/config.h"

namespace stoker::nn {

// What the samples of a frame are multiplied with before a Fourier transform: by name, or the
// numbers themselves. A periodic one goes on after its end without a second zero.
std::vector<float> signal_window(const Config& window, int64_t length, bool periodic);

// Throws if it is no name of a window, no list of numbers and not null.
void check_signal_window(const Config& window);

}  // namespace stoker::nn
