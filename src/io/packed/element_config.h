#pragma once
#include "stoker/config.h"
#include "stoker/element.h"

namespace stoker {

// An element spec as JSON: an array is {"dtype": "uint8", "shape": [null, 3]}, a tuple a list of
// its parts, named parts are [["image", part], …] under "table".
Config to_config(const ElementSpec& spec);
ElementSpec element_spec_from(const Config& config);  // throws InvalidArgument

}  // namespace stoker
