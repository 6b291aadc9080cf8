#pragma once
#include <source_location>

#include "stoker/dataset.h"

namespace stoker {

// Like Dataset::ignore_errors: drops elements that cannot be made: damaged files, functions that
// throw. Later batches are full, and the order is kept. Out-of-memory errors, device failures and
// internal errors are not ignored.
Dataset ignore_errors(const Dataset& dataset, const IgnoreErrorsArgs& args = {},
                      const std::source_location& from = std::source_location::current());

}  // namespace stoker
