#include "core/flush_denormals.h"

#include <utility>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace stoker {
namespace {

#if defined(__x86_64__)
constexpr uint64_t flush_bits = 0x8040;  // of MXCSR: FTZ and DAZ
uint64_t read_mode() { return _mm_getcsr(); }
void write_mode(uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
constexpr uint64_t flush_bits = uint64_t{1} << 24;  // of FPCR: FZ, which flushes inputs and results
uint64_t read_mode() {
  uint64_t mode = 0;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
void write_mode(uint64_t mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
constexpr uint64_t flush_bits = 0;
uint64_t read_mode() { return 0; }
void write_mode(uint64_t) {}
#endif

thread_local const FlushDenormals* innermost = nullptr;

}  // namespace

FlushDenormals::FlushDenormals()
    : callers_mode_(read_mode()), outer_(std::exchange(innermost, this)) {
  write_mode(callers_mode_ | flush_bits);
}
FlushDenormals::~FlushDenormals() {
  write_mode(callers_mode_);
  innermost = outer_;
}

CallersDenormals::CallersDenormals() : kernels_mode_(read_mode()) {
  if (innermost) write_mode(innermost->callers_mode_);
}
CallersDenormals::~CallersDenormals() { write_mode(kernels_mode_); }

}  // namespace stoker
