#pragma once
#include "nn/layers/preprocessing/adaptable.h"
#include "stoker/dataset.h"

namespace stoker::nn {

// Extracts the array for the layer from a dataset element.
using PartOf = std::function<Array(const Element&)>;
// One pass over the dataset.
void adapt_over(Adaptable& layer, const Dataset& batches, const PartOf& part_of);

}  // namespace stoker::nn
