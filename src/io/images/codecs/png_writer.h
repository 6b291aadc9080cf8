#pragma once
#include <vector>

#include "stoker/array.h"

namespace stoker::images {

// uint8 of shape (height, width, channels), with 1, 3 or 4 channels.
std::vector<std::byte> encode_png(const Array& image);

}  // namespace stoker::images
