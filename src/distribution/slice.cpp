#include "distribution/slice.h"

namespace stoker::distribution {
namespace {
thread_local const Slice* innermost = nullptr;
}  // namespace

SliceScope::SliceScope(const Slice& slice) : slice_(slice), outer_(innermost) {
  innermost = slice_.is_whole() ? nullptr : &slice_;
}
SliceScope::~SliceScope() { innermost = outer_; }

const Slice* current_slice() { return innermost; }

}  // namespace stoker::distribution
