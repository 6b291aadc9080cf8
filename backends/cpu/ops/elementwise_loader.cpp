#include "ops/elementwise_loader.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace stoker::cpu {
namespace {

constexpr size_t max_rank = 16;

std::vector<int64_t> broadcast_strides(const Shape& input, const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 0);
  int64_t stride = 1;
  for (int i = 1; i <= input.rank(); ++i) {
    if (input[-i] != 1) strides[strides.size() - static_cast<size_t>(i)] = stride;
    stride *= input[-i];
  }
  return strides;
}

// Appends a dimension, merged with the last one where every input steps through both as through
// one.
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

template <class T>
void gather_run(const std::byte* from, int64_t stride, int64_t n, std::byte* to) {
  const T* x = reinterpret_cast<const T*>(from);
  T* y = reinterpret_cast<T*>(to);
  if (stride == 0) {
    std::fill_n(y, n, *x);
  } else if (stride == 1) {
    std::memcpy(y, x, static_cast<size_t>(n) * sizeof(T));
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i * stride];
  }
}

using GatherRun = void (*)(const std::byte*, int64_t, int64_t, std::byte*);
GatherRun gather_for(size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return gather_run<uint8_t>;
    case 2:
      return gather_run<uint16_t>;
    case 4:
      return gather_run<uint32_t>;
    default:
      return gather_run<uint64_t>;
  }
}

// A position in the iteration space that moves from run to run of the last dimension.
class Walker {
 public:
  Walker(const IterationSpace& space, size_t input, int64_t position)
      : dims_(space.dims), strides_(space.strides[input]) {
    for (size_t d = dims_.size(); d-- > 0; position /= dims_[d]) {
      at_[d] = position % dims_[d];
      offset_ += at_[d] * strides_[d];
    }
  }
  int64_t offset() const { return offset_; }
  int64_t left_in_run() const { return dims_.back() - at_[dims_.size() - 1]; }
  void next_run() {
    size_t d = dims_.size() - 1;
    offset_ -= at_[d] * strides_[d];
    at_[d] = 0;
    while (d-- > 0) {
      offset_ += strides_[d];
      if (++at_[d] < dims_[d]) return;
      offset_ -= dims_[d] * strides_[d];
      at_[d] = 0;
    }
  }

 private:
  const std::vector<int64_t>&dims_, &strides_;
  std::array<int64_t, max_rank> at_;
  int64_t offset_ = 0;
};

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

const std::byte* load_range(const IterationSpace& space, size_t input, size_t element_bytes,
                            const std::byte* from, int64_t begin, int64_t n, std::byte* buffer) {
  Walker walker(space, input, begin);
  const int64_t stride = space.strides[input].back();
  if (stride == 1 && walker.left_in_run() >= n)
    return from + walker.offset() * static_cast<int64_t>(element_bytes);
  const GatherRun gather = gather_for(element_bytes);
  std::byte* to = buffer;
  while (n > 0) {
    const int64_t run = std::min(n, walker.left_in_run());
    gather(from + walker.offset() * static_cast<int64_t>(element_bytes), stride, run, to);
    to += run * static_cast<int64_t>(element_bytes);
    n -= run;
    if (n > 0) walker.next_run();
  }
  return buffer;
}

}  // namespace stoker::cpu
