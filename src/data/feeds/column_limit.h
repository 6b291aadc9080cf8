#pragma once
#include <string>

#include "stoker/array.h"

namespace stoker::data {

// The values that a step can process in one of its columns: from 0 to below `below`, rounded down.
struct ColumnLimit {
  int64_t below = 0;      // 0: any values
  std::string of = {};    // " of input 1", after the row's index
  std::string what = {};  // "label"
  std::string why = {};   // "output 0 of model \"a\" has classes 0 to 9"
  std::string hint = {};
};

// Throws InvalidArgument for a value outside the limit; `row` is what a row of the array is called.
// NaN is outside; strings are not checked.
void check_limit(const Array& column, const ColumnLimit& limit, const char* row);

}  // namespace stoker::data
