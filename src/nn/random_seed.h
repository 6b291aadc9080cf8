#pragma once
#include <cstdint>
#include <optional>

#include "stoker/array.h"

namespace stoker::nn {

// A seed of its own for each thing made since set_random_seed, in the order they are made.
uint64_t next_seed();
// The state of a random layer: a place in a sequence of random numbers, moved on by 1 with each
// draw. The seed says where it begins (given, or else the next one), so that the state alone tells
// what will be drawn.
Array first_random_state(std::optional<int64_t> seed);
uint64_t global_seed();

}  // namespace stoker::nn
