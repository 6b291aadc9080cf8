#pragma once
#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <string>

#include "device/backend_interface.h"

namespace stoker::cpu {

// Records when calls ran, while profiling is on. Keeps the latest ones; several threads may add to
// it.
class Profile {
 public:
  static Profile& instance();
  static int64_t now();  // nanoseconds of the steady clock

  const char* keep(const char* name);  // a copy that lives as long as the plugin; null: ""
  bool is_on() const { return on_.load(std::memory_order_relaxed); }
  int32_t start();  // discards earlier spans
  int32_t stop();
  void add(const StokerSpan& span);
  int64_t read(StokerSpan* out, int64_t most);
  int64_t dropped() const { return dropped_; }  // since start()

 private:
  static constexpr size_t capacity = size_t{1} << 20;
  std::atomic<bool> on_{false};
  std::mutex guard_;
  std::set<std::string> names_;
  std::deque<StokerSpan> spans_;
  std::atomic<int64_t> dropped_{0};
};

}  // namespace stoker::cpu
