#pragma once

namespace stoker {

// Whether checksums are asked for. A fuzzer, which would hardly ever get past one, sets it to
// false; nothing else does.
inline bool check_proofs = true;

}  // namespace stoker
