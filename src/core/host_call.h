#pragma once
#include <cstdint>

// What a "host_call" node's attribute "function" is the address of: C, as all that a backend sees.
extern "C" {
struct StokerHostCall {
  void (*run)(StokerHostCall* self, void* const* arguments);  // inputs, then outputs; never throws
  void (*rethrow)(StokerHostCall* self);                      // what stopped it, if anything did
};
}

namespace stoker {

// Spent in host functions by this thread: backends run them in the thread that runs the step.
int64_t& host_call_nanoseconds();

}  // namespace stoker
