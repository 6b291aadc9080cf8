#include "distribution/slice.h"

#include "distribution/collectives.h"

namespace stoker::distribution {
namespace {
thread_local const Slice* innermost = nullptr;
}  // namespace

SliceScope::SliceScope(const Slice& slice) : slice_(slice), outer_(innermost) {
  const bool sums = !slice_.is_whole() || (slice_.rows > 0 && is_group_of_one());
  innermost = sums ? &slice_ : nullptr;
}
SliceScope::~SliceScope() { innermost = outer_; }

const Slice* current_slice() { return innermost; }

}  // namespace stoker::distribution
