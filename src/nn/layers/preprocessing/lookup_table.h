#pragma once
#include <cstdint>
#include <vector>

#include "stoker/array.h"
#include "stoker/tensor.h"

namespace stoker::nn {

// Maps int64 keys to int64 values inside a step.
class LookupTable {
 public:
  LookupTable() = default;
  LookupTable(const std::vector<int64_t>& keys, const std::vector<int64_t>& values);
  Tensor find(const Tensor& keys, int64_t otherwise) const;

 private:
  Array keys_, values_;  // sorted by key
};

}  // namespace stoker::nn
