#pragma once
#include <functional>
#include <optional>
#include <source_location>

#include "stoker/dataset.h"

namespace stoker {

struct IgnoreErrorsArgs {
  // How many elements of a pass may fail; the error of the next one is thrown.
  int64_t max_errors = 100;
  // What to give instead of an element that failed, of the same type and shape as the others; none:
  // the next one follows.
  std::optional<Element> replacement = {};
  // Called with the number and the error of an element that failed, in the order of the elements;
  // with a replacement in any order, but never by two threads at once. None: prints a line.
  std::function<void(int64_t number, const Error& error)> report = {};
};

// The elements of a dataset without those that cannot be made: damaged files, functions that throw.
// Batches that are made behind it are full, and the order stays. Running out of memory, a device's
// failure and errors of the library itself are not ignored.
Dataset ignore_errors(const Dataset& dataset, const IgnoreErrorsArgs& args = {},
                      const std::source_location& from = std::source_location::current());

}  // namespace stoker
