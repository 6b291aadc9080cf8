#pragma once
#include <string>
#include <thread>
#include <vector>

#include "ledger/ledger.h"

namespace stoker::data {

// A call of one of the program's functions for an element.
struct CallSpan {
  std::thread::id thread;
  std::string stage;  // "map"
  ledger::Time begin, end;
};

// From start to stop every thread notes when such calls run; so many at most.
inline constexpr size_t most_call_spans = 20'000;
void start_call_trace();
std::vector<CallSpan> stop_call_trace();  // in the order they ended

}  // namespace stoker::data
