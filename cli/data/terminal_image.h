#pragma once
#include <string>

#include "stoker/array.h"

namespace stoker::cli {

// An image, uint8 (height, width, 3), as text for a terminal with 24-bit colours: each character
// shows two pixels, one above the other.
std::string terminal_image(const Array& image);

}  // namespace stoker::cli
