#pragma once
#include <cstdint>

// The attribute "function" of a "host_call" node is the address of this: a C interface, like
// all of the backend interface.
extern "C" {
struct StokerHostCall {
  void (*run)(StokerHostCall* self, void* const* arguments);  // inputs, then outputs; never throws
  void (*rethrow)(StokerHostCall* self);                      // the exception, if any
};
}

namespace stoker {

// Time spent in host functions by this thread: backends run them in the thread that runs the step.
int64_t& host_call_nanoseconds();

}  // namespace stoker
