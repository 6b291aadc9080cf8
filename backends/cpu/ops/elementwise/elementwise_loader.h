#pragma once
#include <cstddef>

#include "core/iteration_space.h"

namespace stoker::cpu {

// The address of elements [begin, begin + n) of a broadcast input: in place if they are contiguous,
// else gathered into `buffer`.
const std::byte* load_range(const IterationSpace& space, size_t input, size_t element_bytes,
                            const std::byte* from, int64_t begin, int64_t n, std::byte* buffer);

}  // namespace stoker::cpu
