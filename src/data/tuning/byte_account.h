#pragma once
#include <atomic>
#include <cstdint>

#include "data/tuning/meter.h"
#include "stoker/element.h"

namespace stoker::data {

// The bytes that all pipelines of the process hold: see set_dataset_memory_limit().
class ByteAccount {
 public:
  static ByteAccount& global();
  void add(int64_t bytes) { held_.fetch_add(bytes, std::memory_order_relaxed); }
  int64_t held() const { return held_.load(std::memory_order_relaxed); }
  int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(int64_t bytes) { limit_ = bytes; }
  // How many elements of a size a buffer of automatic size may hold, if it wants so many; one at
  // least.
  int64_t affordable(int64_t elements, int64_t bytes_each) const;

 private:
  ByteAccount();
  std::atomic<int64_t> held_ = 0, limit_;
};

// What one buffer of a stage holds, in the account while it lives. For one thread at a time.
class Held {
 public:
  explicit Held(Meter& meter) : meter_(meter) {}
  ~Held() { set(0); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  void set(int64_t bytes);
  void add(int64_t bytes) { set(bytes_ + bytes); }

 private:
  Meter& meter_;
  int64_t bytes_ = 0;
};

int64_t bytes_of(const Element& element);

}  // namespace stoker::data
