#pragma once
#include <fmt/format.h>

#include "stoker/error.h"

namespace stoker {

// Runs f; adds the number of the record (row, line, member), from 0, to its errors.
template <class F>
auto in_record(const char* what, uint64_t number, F&& f) {
  try {
    return f();
  } catch (Error& error) {
    error.add_where(fmt::format("{} {}", what, number));
    throw;
  }
}

}  // namespace stoker
