#pragma once
#include <string>

namespace stoker::cpu {

// The SIMD instructions that the kernels use on this machine: "AVX-512", "AVX2", "NEON" …
std::string instruction_set();

}  // namespace stoker::cpu
