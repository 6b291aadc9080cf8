#pragma once

namespace stoker {

// Whether checksums are asked for. A fuzzer would hardly ever get past one.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr bool check_proofs = false;
#else
constexpr bool check_proofs = true;
#endif

}  // namespace stoker
