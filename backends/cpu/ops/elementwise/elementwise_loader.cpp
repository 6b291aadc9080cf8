#include "ops/elementwise/elementwise_loader.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace stoker::cpu {
namespace {

constexpr size_t max_rank = 16;

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

// A position in the iteration space that advances by runs of the last dimension.
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
