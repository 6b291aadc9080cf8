#pragma once
#include <map>
#include <mutex>

#include "data/stage.h"

namespace stoker::data {

// A batch under construction; several threads may fill different rows.
class BatchBuilder {
 public:
  // `like`: the expected structure, types and shapes of elements; `first`: the index of row 0's.
  BatchBuilder(const ElementSpec& like, int64_t rows, int64_t first, BatchMemory& memory);

  // Sets row r to this element.
  void put(int64_t r, const Element& element);
  bool expects(const ElementSpec& element) const;
  // The addresses of row r in each array, to write expected elements in place.
  std::vector<std::byte*> places(int64_t r) const;
  bool expects_rows_of(const Element& arrays) const;
  // Sets rows r, r + 1 … to the rows of expected arrays with these indices.
  void put_rows(int64_t r, const Element& arrays, std::span<const int64_t> numbers);

  bool as_expected() const { return others_.empty(); }
  // If elements were not as expected, they determine the batch; throws if they are not alike.
  Element finish() &&;

 private:
  Element row(int64_t r) const;
  Element fitted() const;

  ElementSpec like_;
  const int64_t rows_, first_;
  BatchMemory& memory_;
  std::vector<Array> arrays_;
  std::vector<std::byte*> bases_;
  std::vector<size_t> row_bytes_;
  std::vector<std::vector<Array>> strings_;  // rows of string arrays; empty for others
  std::mutex mutex_;
  std::map<int64_t, Element> others_;  // rows that are not as expected; guarded by the mutex
};

}  // namespace stoker::data
