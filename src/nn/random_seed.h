#pragma once
#include <cstdint>

namespace stoker::nn {

// A seed of its own for each thing made since set_random_seed, in the order they are made.
uint64_t next_seed();
uint64_t global_seed();

}  // namespace stoker::nn
