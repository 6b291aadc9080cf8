#pragma once
#include <span>
#include <vector>

#include "stoker/shape.h"

namespace stoker {

// The strides of each input of an elementwise node in the iteration space, after merging dimensions
// that are contiguous in all inputs. strides[input][dim] is in elements, 0 where broadcast.
struct IterationSpace {
  std::vector<int64_t> dims;
  std::vector<std::vector<int64_t>> strides;
  int64_t size = 1;

  bool is_contiguous(size_t input) const;  // element i is at offset i
  bool is_scalar(size_t input) const;      // one element, broadcast
  // Repeats every dims.back() elements: a bias row.
  bool is_periodic(size_t input) const;
};

IterationSpace iteration_space(const Shape& shape, std::span<const TensorType> inputs);

}  // namespace stoker
