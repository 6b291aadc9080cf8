#pragma once
#include <vector>

#include "stoker/config.h"

namespace stoker::nn {

// A window function for a Fourier transform: by name, or the values themselves. A periodic window
// omits the last zero.
std::vector<float> signal_window(const Config& window, int64_t length, bool periodic);

// Throws unless it is the name of a window, a list of numbers or null.
void check_signal_window(const Config& window);

}  // namespace stoker::nn
