#pragma once

namespace stoker {

// Are checksums verified? Only fuzzers, which would hardly ever get past one, set it to false.
inline bool verify_checksums = true;

}  // namespace stoker
