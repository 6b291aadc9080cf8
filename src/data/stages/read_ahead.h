#pragma once
#include "data/stages/reader_threads.h"

namespace stoker::data {

// The elements of a cursor, read ahead by the threads and handed over in groups.
class ReadAhead : public Cursor {
 public:
  // Starts reading.
  ReadAhead(std::unique_ptr<Cursor> before, ReaderThreads& threads);
  bool next(Element& element) override;
  // Is there an element, or the end, without waiting?
  bool ready() { return at_ < size_ || threads_.ready(*groups_); }

 private:
  ReaderThreads& threads_;
  const bool by_rows_;  // a group consists of rows, else it is a tuple of elements
  Element group_;
  int64_t at_ = 0, size_ = 0;
  std::shared_ptr<ReaderThreads::Source> groups_;
};

}  // namespace stoker::data
