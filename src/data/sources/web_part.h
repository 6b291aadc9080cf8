#pragma once
#include <string>
#include <string_view>

#include "stoker/array.h"

namespace stoker::data {

// A part of a WebDataset sample, decoded by its extension: images, npy arrays, class numbers; of
// others the bytes. "0001.jpg" is the name for errors.
Array decoded_part(const std::string& extension, std::string_view bytes, const std::string& name);

}  // namespace stoker::data
