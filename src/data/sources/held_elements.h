#pragma once
#include "data/stage.h"

namespace stoker::data {

// A dataset of elements in memory, whose structures and shapes may differ.
Dataset dataset_of(std::vector<Element> elements, const char* name,
                   const std::source_location& created);

}  // namespace stoker::data
