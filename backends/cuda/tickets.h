#pragma once
#include <deque>
#include <mutex>

#include "device/backend_interface.h"
#include "libraries/library.h"

namespace stoker::cuda {

// Tickets are events on a GPU's streams, numbered as they are recorded. The latest ones keep their
// events, and so do those that are not done; an older one that is done gives its event to a new
// ticket. Nobody waits for the GPU while holding the lock.
class Tickets {
 public:
  StokerTicket record(CUstream stream);
  void let_wait(CUstream stream, StokerTicket ticket);  // what is enqueued there from now on
  void wait(StokerTicket ticket);                       // the host
  bool is_done(StokerTicket ticket);
  int64_t nanoseconds(StokerTicket from, StokerTicket to);  // on the GPU's clock

 private:
  static constexpr size_t kept = 256;
  CUevent free_event();
  CUevent event_of(StokerTicket ticket) const;  // null: it is done, and its event another's

  std::mutex guard_;
  std::deque<CUevent> events_;  // of the latest tickets
  StokerTicket latest_ = 0;
};

}  // namespace stoker::cuda
