#include "profile.h"

#include <algorithm>
#include <chrono>

namespace stoker::cpu {

Profile& Profile::instance() {
  static auto& only = *new Profile;  // leaked: programs of static objects are released late
  return only;
}

int64_t Profile::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

const char* Profile::keep(const char* name) {
  const std::lock_guard lock(guard_);
  return names_.insert(name ? name : "").first->c_str();
}

int32_t Profile::start() {
  const std::lock_guard lock(guard_);
  spans_.clear();
  dropped_ = 0;
  on_ = true;
  return 0;
}

int32_t Profile::stop() {
  on_ = false;
  return 0;
}

void Profile::add(const StokerSpan& span) {
  const std::lock_guard lock(guard_);
  if (spans_.size() == capacity) {
    spans_.pop_front();
    ++dropped_;
  }
  spans_.push_back(span);
}

int64_t Profile::read(StokerSpan* out, int64_t most) {
  const std::lock_guard lock(guard_);
  const auto count = std::min(most, static_cast<int64_t>(spans_.size()));
  std::copy_n(spans_.begin(), count, out);
  spans_.erase(spans_.begin(), spans_.begin() + count);
  return count;
}

}  // namespace stoker::cpu
