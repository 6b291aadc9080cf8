#pragma once
#include <string>

#include "stoker/dataset.h"

namespace stoker {

struct ContactSheetArgs {
  int64_t columns = 8, rows = 4;
  int64_t tile = 96;  // height and width of each sample's tile
};
// Shows the first samples in one image, uint8 (height, width, 3). The samples' first array must be
// an image of shape (height, width) or (height, width, 1, 3 or 4): uint8, or numbers that are
// rescaled to 0 to 255 if they are outside that range. Throws InvalidArgument otherwise.
Array contact_sheet(const Dataset& samples, const ContactSheetArgs& args = {});
bool can_be_shown(const TensorSpec& spec);  // as an image?

void save_png(const std::string& path, const Array& image);  // uint8 (height, width, 1, 3 or 4)

}  // namespace stoker
