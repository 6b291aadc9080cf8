#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "distribution/slice.h"

namespace stoker::data {

// Batches of consecutive elements, as `batch` makes them: the rows of each are known in advance.
struct Batching {
  int64_t size = 0;       // rows of a full batch
  int64_t elements = -1;  // in all batches; -1: infinite
  int64_t full() const {
    return elements < 0 ? std::numeric_limits<int64_t>::max() / size : elements / size;
  }
  // By the batch's index; 0: there is no such batch.
  int64_t rows(int64_t batch) const {
    return batch < full() ? size : batch > full() ? 0 : elements % size;
  }
};

// The elements that make up one rank's rows of all batches.
struct RankRows {
  Batching batches;
  distribution::Division division;

  distribution::Slice of_batch(int64_t batch) const { return division.of(batches.rows(batch)); }
  // The number of them in earlier batches.
  int64_t before(int64_t batch) const {
    return std::min(batch, batches.full()) * of_full().here +
           (batch > batches.full() ? of_batch(batches.full()).here : 0);
  }
  int64_t count() const { return batches.elements < 0 ? -1 : before(batches.full() + 1); }
  // The index of the i-th of them among all elements.
  int64_t at(int64_t i) const {
    const int64_t batch = std::min(i / of_full().here, batches.full());
    return batch * batches.size + of_batch(batch).first + i - before(batch);
  }

 private:
  distribution::Slice of_full() const { return division.of(batches.size); }
};

}  // namespace stoker::data
