#pragma once
#include <cstdint>
#include <optional>

#include "stoker/array.h"

namespace stoker::nn {

// A separate seed for each object created since set_random_seed, in order of creation.
uint64_t next_seed();
// The state of a random layer: a position in a random sequence, incremented by each draw. The seed
// (given, or else the next one) determines the start, so that the state alone determines all later
// numbers.
Array first_random_state(std::optional<int64_t> seed);
uint64_t global_seed();

}  // namespace stoker::nn
