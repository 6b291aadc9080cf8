#pragma once
#include <fmt/format.h>

#include "stoker/error.h"

namespace stoker {

// Runs f; an error that leaves it also says which record (row, line, member) it was, from 0.
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
