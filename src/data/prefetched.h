#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "data/stage.h"
#include "data/tuning/byte_account.h"

namespace stoker::data {

// A background thread makes elements ahead of time, up to a number of them. It starts with the
// first call of next(), or of begin().
class Prefetched : public Cursor {
 public:
  // By default double buffering at first: one element is used while another one is made.
  static constexpr int64_t first_ahead = 2, most_ahead = 32;

  // The meter's setting determines how many; it may change.
  Prefetched(std::unique_ptr<Cursor> before, Meter& meter)
      : before_(std::move(before)), meter_(meter), held_(meter) {}
  ~Prefetched() override;
  void begin();  // starts now
  bool next(Element& element) override;
  int64_t skip(int64_t count) override;

 private:
  void work();
  bool put(Element& element);  // false: no longer needed
  int64_t most() const;
  void book();

  std::unique_ptr<Cursor> before_;
  Meter& meter_;
  Held held_;
  int64_t bytes_each_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Element> ready_;
  std::exception_ptr error_;
  bool done_ = false;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace stoker::data
