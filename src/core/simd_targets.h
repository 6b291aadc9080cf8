#pragma once

// The SIMD targets to compile; include before any Highway header. Targets are omitted that would
// only cost compile time, because another one supports the same machines.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

#include <hwy/targets.h>
