#pragma once
#include "nn/layers/preprocessing/adaptable.h"
#include "stoker/dataset.h"

namespace stoker::nn {

// What becomes of an element of a dataset before the layer sees it.
using PartOf = std::function<Array(const Element&)>;
// One pass over the dataset.
void adapt_over(Adaptable& layer, const Dataset& batches, const PartOf& part_of);

}  // namespace stoker::nn
