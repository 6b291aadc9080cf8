#pragma once
#include <cstdint>
#include <string>
#include <vector>

// Code that computes offsets of elements in strided layouts.
namespace stoker::cuda {

// The offset of element `index` of a row-major space of these dimensions: an expression of the
// named variable, with all divisions by constants. The first dimension needs none.
std::string offset_text(const std::string& index, const std::vector<int64_t>& dims,
                        const std::vector<int64_t>& strides);

bool needs_64_bits(int64_t largest);
// An index type that can hold `largest` plus the overshoot of a grid.
const char* index_name(int64_t largest);

std::vector<int64_t> row_major_strides(const std::vector<int64_t>& dims);

// The number of counters in common/last_block.cuh.
inline constexpr int64_t most_split_groups = 2048;

bool is_aligned(const void* pointer, int64_t bytes);

}  // namespace stoker::cuda
