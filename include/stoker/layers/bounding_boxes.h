#pragma once
#include <optional>
#include <string>

#include "stoker/layer.h"

namespace stoker::layers {

struct MaxNumBoundingBoxesArgs {
  int64_t max_number = 0;
  int64_t fill_value = -1;                              // for missing boxes and labels
  std::optional<std::string> bounding_box_format = {};  // required by Keras; ignored
  std::optional<std::string> data_format = {};
  std::string name = {};
  DTypePolicy dtype = {};
};
// Inputs {boxes (batch, any, 4), labels (batch, any), images}: pads or truncates to the same number
// of boxes for each image; images alone pass through. Keras's form is {"images": …,
// "bounding_boxes": {"boxes": …, "labels": …}}.
LayerRef MaxNumBoundingBoxes(const MaxNumBoundingBoxesArgs& args,
                             std::source_location created = std::source_location::current());

}  // namespace stoker::layers
