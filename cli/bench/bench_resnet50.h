#pragma once
#include "stoker/layer.h"

namespace stoker::cli {

// ResNet-50 v1.5 (stride in the 3x3 convolutions), without biases before normalisations; outputs
// logits.
LayerRef ResNet50(int64_t classes = 1000);

}  // namespace stoker::cli
