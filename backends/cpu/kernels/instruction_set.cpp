#include "kernels/instruction_set.h"

#include "core/simd_targets.h"

namespace stoker::cpu {

std::string instruction_set() {
  const auto compiled = static_cast<int64_t>(HWY_TARGETS) & hwy::SupportedTargets();
  const std::string best = hwy::TargetName(compiled & -compiled);  // the lowest bit is the best
  return best.starts_with("AVX3") ? "AVX-512" : best;              // Highway's name for it
}

}  // namespace stoker::cpu
