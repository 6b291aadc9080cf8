#pragma once
#include <cstdint>
#include <vector>

namespace stoker::data {

// A random permutation of 0 … n-1, the same for the same (seed, epoch) on every machine.
void permute(std::vector<int64_t>& order, uint64_t seed, int64_t epoch);
// In the calling thread alone, while other threads use the pool.
void permute_alone(std::vector<int64_t>& order, uint64_t seed, int64_t epoch);

}  // namespace stoker::data
