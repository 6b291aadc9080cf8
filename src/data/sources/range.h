#pragma once
#include "stoker/dataset.h"

namespace stoker::data {

// start, start + 1 …, without an end.
Dataset counting_from(int64_t start, const std::source_location& created);

}  // namespace stoker::data
