#include "core/iteration_space.h"

#include <algorithm>

namespace stoker {
namespace {

std::vector<int64_t> broadcast_strides(const Shape& input, const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 0);
  int64_t stride = 1;
  for (int i = 1; i <= input.rank(); ++i) {
    if (input[-i] != 1) strides[strides.size() - static_cast<size_t>(i)] = stride;
    stride *= input[-i];
  }
  return strides;
}

// Appends a dimension; merges it with the last one if that is possible for every input.
void append(IterationSpace& merged, const IterationSpace& full, size_t dim) {
  if (full.dims[dim] == 1) return;
  const auto joins = [&](size_t input) {
    return merged.strides[input].back() == full.strides[input][dim] * full.dims[dim];
  };
  bool all_join = !merged.dims.empty();
  for (size_t i = 0; all_join && i < full.strides.size(); ++i) all_join = joins(i);
  if (all_join)
    merged.dims.back() *= full.dims[dim];
  else
    merged.dims.push_back(full.dims[dim]);
  for (size_t i = 0; i < full.strides.size(); ++i) {
    if (all_join) merged.strides[i].pop_back();
    merged.strides[i].push_back(full.strides[i][dim]);
  }
}

}  // namespace

bool IterationSpace::is_contiguous(size_t input) const {
  int64_t expected = 1;
  for (size_t d = dims.size(); d-- > 0; expected *= dims[d])
    if (strides[input][d] != expected) return false;
  return true;
}
bool IterationSpace::is_scalar(size_t input) const {
  return std::all_of(strides[input].begin(), strides[input].end(),
                     [](int64_t stride) { return stride == 0; });
}
bool IterationSpace::is_periodic(size_t input) const {
  const auto& s = strides[input];
  return !s.empty() && std::all_of(s.begin(), s.end() - 1, [](int64_t x) { return x == 0; });
}

IterationSpace iteration_space(const Shape& shape, std::span<const TensorType> inputs) {
  IterationSpace full, merged;
  full.dims = shape.dims();
  merged.size = shape.size();
  for (const TensorType& input : inputs)
    full.strides.push_back(broadcast_strides(input.shape, shape));
  merged.strides.resize(inputs.size());
  for (size_t d = 0; d < full.dims.size(); ++d) append(merged, full, d);
  return merged;
}

}  // namespace stoker
