#pragma once
#include <functional>
#include <optional>
#include <source_location>

#include "stoker/dataset.h"

namespace stoker {

struct IgnoreErrorsArgs {
  // How many elements of a pass may fail; the next error is thrown.
  int64_t max_errors = 100;
  // Replaces an element that failed; same type and shape as the others. None: the element is
  // skipped.
  std::optional<Element> replacement = {};
  // Called with the index and the error of each failed element, in order; with a replacement in any
  // order, but never by two threads at once. None: prints a line.
  std::function<void(int64_t number, const Error& error)> report = {};
};

// Drops elements that cannot be made: damaged files, functions that throw. Later batches are full,
// and the order is kept. Out-of-memory errors, device failures and internal errors are not ignored.
Dataset ignore_errors(const Dataset& dataset, const IgnoreErrorsArgs& args = {},
                      const std::source_location& from = std::source_location::current());

}  // namespace stoker
