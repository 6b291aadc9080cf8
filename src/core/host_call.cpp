#include "core/host_call.h"

namespace stoker {

int64_t& host_call_nanoseconds() {
  static thread_local int64_t spent = 0;
  return spent;
}

}  // namespace stoker
