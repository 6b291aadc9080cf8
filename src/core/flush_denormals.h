#pragma once
#include <cstdint>

namespace stoker {

// Denormal numbers (below 1.2e-38 in float32) take an Intel core more than a hundred cycles each,
// and training produces many: Adam's moments of a unit that is never active decay into them. While
// an object lives, its thread treats denormal inputs as zero (DAZ) and flushes denormal results to
// zero (FTZ); then the caller's mode is restored.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  friend class CallersDenormals;
  uint64_t callers_mode_;
  const FlushDenormals* outer_;
};

// While an object lives, its thread has the mode from before the innermost FlushDenormals.
class CallersDenormals {
 public:
  CallersDenormals();
  ~CallersDenormals();
  CallersDenormals(const CallersDenormals&) = delete;
  CallersDenormals& operator=(const CallersDenormals&) = delete;

 private:
  uint64_t kernels_mode_;
};

}  // namespace stoker
