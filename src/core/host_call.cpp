#include "core/host_call.h"

namespace stoker {

std::atomic<int64_t>& host_call_nanoseconds() {
  static std::atomic<int64_t> spent{0};
  return spent;
}

}  // namespace stoker
