#pragma once
#include <deque>
#include <mutex>

#include "device/backend_interface.h"
#include "libraries/library.h"

namespace stoker::cuda {

// Tickets are events on a GPU's streams, numbered in the order of recording. The latest ones, and
// those that are not done, keep their events; the event of an older one that is done is reused.
// Nobody waits for the GPU while holding the lock.
class Tickets {
 public:
  StokerTicket record(CUstream stream);
  void let_wait(CUstream stream, StokerTicket ticket);  // everything enqueued there from now on
  void wait(StokerTicket ticket);                       // the host
  bool is_done(StokerTicket ticket);
  int64_t nanoseconds(StokerTicket from, StokerTicket to);  // on the GPU's clock

 private:
  static constexpr size_t kept = 256;
  CUevent free_event();
  CUevent event_of(StokerTicket ticket) const;  // null: it is done, and its event is reused

  std::mutex guard_;
  std::deque<CUevent> events_;  // of the latest tickets
  StokerTicket latest_ = 0;
};

}  // namespace stoker::cuda
