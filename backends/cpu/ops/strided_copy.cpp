#include "ops/strided_copy.h"

namespace stoker::cpu {
namespace {

// Drops axes of size 1 and merges neighbouring axes that are contiguous in both layouts.
std::vector<CopyAxis> merged(const std::vector<CopyAxis>& axes) {
  std::vector<CopyAxis> result;
  for (const CopyAxis& axis : axes) {
    if (axis.size == 1) continue;
    if (!result.empty() && result.back().from == axis.size * axis.from &&
        result.back().to == axis.size * axis.to)
      result.back() = {result.back().size * axis.size, axis.from, axis.to};
    else
      result.push_back(axis);
  }
  return result;
}

}  // namespace

StridedCopy::StridedCopy(const std::vector<CopyAxis>& axes) : outer_(merged(axes)) {
  if (!outer_.empty()) {
    inner_ = outer_.back();
    outer_.pop_back();
  }
  if (!rows_moved_whole()) {
    const auto contiguous = std::find_if(outer_.begin(), outer_.end(),
                                         [](const CopyAxis& axis) { return axis.from == 1; });
    if (contiguous != outer_.end()) {
      second_ = *contiguous;
      outer_.erase(contiguous);
    }
  }
  for (const CopyAxis& axis : outer_) outer_count_ *= axis.size;
}

std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (size_t i = strides.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[static_cast<int>(i)];
  return strides;
}

}  // namespace stoker::cpu
