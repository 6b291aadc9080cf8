#include "profile.h"

#include <algorithm>
#include <utility>

namespace stoker::cuda {
namespace {

double nanoseconds(CUevent from, CUevent to) {
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, from, to), "reading the GPU's clock");
  return static_cast<double>(milliseconds) * 1e6;
}

}  // namespace

const char* Profile::keep(const char* name) {
  const std::lock_guard lock(guard_);
  return names_.insert(name ? name : "").first->c_str();
}

CUevent Profile::recorded(CUstream stream) {
  CUevent event = nullptr;
  if (free_.empty()) {
    check(driver().cuEventCreate(&event, CU_EVENT_DEFAULT), "creating an event");
  } else {
    event = free_.back();
    free_.pop_back();
  }
  check(driver().cuEventRecord(event, stream), "marking a call");
  return event;
}

CUevent Profile::begin(CUstream stream) {
  const std::lock_guard lock(guard_);
  return recorded(stream);
}

void Profile::end(CUevent begun, CUstream stream, const char* name, int32_t node) {
  const std::lock_guard lock(guard_);
  if (calls_.size() == capacity) {
    ++dropped_;
    return forget(begun);
  }
  calls_.push_back({name, node, begun, recorded(stream)});
}

void Profile::start(CUstream stream) {
  const std::lock_guard reading(reading_);
  const std::lock_guard lock(guard_);
  for (const Call& call : calls_) {
    forget(call.begin);
    forget(call.end);
  }
  calls_.clear();
  if (previous_) forget(std::exchange(previous_, nullptr));
  previous_ = recorded(stream);
  previous_time_ = 0;
  dropped_ = 0;
  on_ = true;
}

int64_t Profile::read(StokerSpan* out, int64_t most) {
  const std::lock_guard reading(reading_);
  const int64_t count = wait_for(most);
  const std::lock_guard lock(guard_);
  for (int64_t i = 0; i < count; ++i) out[i] = take_oldest();
  return count;
}

int64_t Profile::wait_for(int64_t most) {
  CUevent last = nullptr;
  int64_t count = 0;
  {
    const std::lock_guard lock(guard_);
    count = std::min(most, static_cast<int64_t>(calls_.size()));
    if (count > 0) last = calls_[static_cast<size_t>(count) - 1].end;
  }
  if (last) check(driver().cuEventSynchronize(last), "waiting for a call");
  return count;
}

StokerSpan Profile::take_oldest() {
  const Call call = calls_.front();
  const double begin = previous_time_ + nanoseconds(previous_, call.begin);
  const double end = begin + nanoseconds(call.begin, call.end);
  calls_.pop_front();
  forget(call.begin);
  forget(std::exchange(previous_, call.end));
  previous_time_ = end;
  return {call.name, call.node, static_cast<int64_t>(begin), static_cast<int64_t>(end)};
}

}  // namespace stoker::cuda
