#pragma once
#include <atomic>
#include <cstdint>

#include "core/memory/counted.h"
#include "data/tuning/meter.h"
#include "stoker/element.h"

namespace stoker::data {

// The bytes that all pipelines of the process hold, and their limit: see
// set_dataset_memory_limit(). Memory is counted where it is allocated and freed
// (core/memory/counted), whichever buffer currently has it.
class ByteAccount {
 public:
  static ByteAccount& global();
  static void add(int64_t bytes) { PipelineBytes::global().add(bytes); }
  static int64_t held() { return PipelineBytes::global().sum(); }
  int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(int64_t bytes) { limit_ = bytes; }
  // How many elements of a size a buffer of automatic size may hold, if it requests so many; at
  // least one.
  int64_t affordable(int64_t elements, int64_t bytes_each) const;

 private:
  ByteAccount();
  std::atomic<int64_t> limit_;
};

// The bytes that one buffer of a stage holds, for its meter. For one thread at a time.
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

// The same for memory that holds no arrays of elements, and is added to the account, too.
class HeldBeside {
 public:
  explicit HeldBeside(Meter& meter) : held_(meter) {}
  ~HeldBeside() { add(-bytes_); }
  HeldBeside(const HeldBeside&) = delete;
  HeldBeside& operator=(const HeldBeside&) = delete;
  void add(int64_t bytes) {
    held_.add(bytes);
    ByteAccount::add(bytes);
    bytes_ += bytes;
  }

 private:
  Held held_;
  int64_t bytes_ = 0;
};

int64_t bytes_of(const Element& element);  // strings with their text

}  // namespace stoker::data
