#pragma once
#include <string>
#include <thread>
#include <vector>

#include "ledger/ledger.h"

namespace stoker::data {

// A call of a user function for an element.
struct CallSpan {
  std::thread::id thread;
  std::string stage;  // "map"
  ledger::Time begin, end;
};

// Between start and stop every thread records when such calls run; at most this many.
inline constexpr size_t most_call_spans = 20'000;
void start_call_trace();
std::vector<CallSpan> stop_call_trace();  // ordered by end time

}  // namespace stoker::data
