#include "tickets.h"

namespace stoker::cuda {

StokerTicket Tickets::record(CUstream stream) {
  const std::lock_guard lock(guard_);
  CUevent event = free_event();
  events_.push_back(event);
  ++latest_;  // an event that could not be recorded counts as done
  check(driver().cuEventRecord(event, stream), "recording the end of a copy or step");
  return latest_;
}

CUevent Tickets::free_event() {
  CUevent event = nullptr;
  if (events_.size() >= kept && driver().cuEventQuery(events_.front()) == CUDA_SUCCESS) {
    event = events_.front();
    events_.pop_front();
  } else {
    check(driver().cuEventCreate(&event, CU_EVENT_DEFAULT), "creating an event");
  }
  return event;
}

CUevent Tickets::event_of(StokerTicket ticket) const {
  if (ticket > latest_) throw CudaError("a ticket that was never issued.");
  const StokerTicket before = latest_ - events_.size();  // the last one without an event
  return ticket <= before ? nullptr : events_[ticket - before - 1];
}

void Tickets::let_wait(CUstream stream, StokerTicket ticket) {
  if (ticket == 0) return;
  const std::lock_guard lock(guard_);
  if (CUevent event = event_of(ticket))
    check(driver().cuStreamWaitEvent(stream, event, 0), "ordering copies and steps");
}

// If the event is reused by another ticket meanwhile, this waits longer than necessary.
void Tickets::wait(StokerTicket ticket) {
  if (ticket == 0) return;
  CUevent event = nullptr;
  {
    const std::lock_guard lock(guard_);
    event = event_of(ticket);
  }
  if (!event) return;
  ++driver_counters().waits;
  check(driver().cuEventSynchronize(event), "waiting for a copy or step");
}

bool Tickets::is_done(StokerTicket ticket) {
  if (ticket == 0) return true;
  const std::lock_guard lock(guard_);
  CUevent event = event_of(ticket);
  if (!event) return true;
  const CUresult result = driver().cuEventQuery(event);
  if (result != CUDA_ERROR_NOT_READY) check(result, "querying whether a copy or step is done");
  return result == CUDA_SUCCESS;
}

int64_t Tickets::nanoseconds(StokerTicket from, StokerTicket to) {
  for (const StokerTicket ticket : {from, to})
    if (!is_done(ticket)) wait(ticket);
  const std::lock_guard lock(guard_);
  const CUevent first = event_of(from), last = event_of(to);
  if (!first || !last) throw CudaError("the time of an old ticket is no longer known.");
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, first, last), "reading the GPU's clock");
  return static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
}

}  // namespace stoker::cuda
