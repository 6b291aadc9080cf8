#pragma once

// Which SIMD targets are compiled; to be included before any header of Highway. Left out are those
// that would only cost compile time, because a neighbour serves the same machines.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

#include <hwy/targets.h>
