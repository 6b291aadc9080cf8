#pragma once
#include "stoker/layer.h"

namespace stoker::cli {

// ResNet-50 with the stride in the 3x3 convolutions and no bias beside a normalisation; logits.
LayerRef ResNet50(int64_t classes = 1000);

}  // namespace stoker::cli
