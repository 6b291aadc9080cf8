#pragma once
#include "data/prefetched.h"
#include "data/work_size.h"

namespace stoker::data {

// Limits how many threads work at once.
class Permits {
 public:
  explicit Permits(int64_t count) : free_(count) {}
  void take();  // waits for one; throws Cancelled in a cancelled thread
  void give_back();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t free_;
};

// The elements of a cursor, read ahead by a background thread and handed over in groups.
class ReadAhead : public Cursor {
 public:
  // Starts reading. The meter's setting limits the groups in memory; `shares`: see Prefetched.
  // `permits`: null, or taken for each group.
  ReadAhead(std::unique_ptr<Cursor> before, Meter& meter, std::shared_ptr<Permits> permits,
            int64_t shares);
  bool next(Element& element) override;
  // Is there an element, or the end, without waiting?
  bool ready() { return at_ < size_ || groups_.ready(); }
  void stop() { groups_.stop(); }  // before it is destroyed together with others

 private:
  const bool by_rows_;  // a group consists of rows, else it is a tuple of elements
  Element group_;
  int64_t at_ = 0, size_ = 0;
  Prefetched groups_;
};

}  // namespace stoker::data
