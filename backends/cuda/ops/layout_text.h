#pragma once
#include <cstdint>
#include <string>
#include <vector>

// Text that finds elements of tensors laid out by strides.
namespace stoker::cuda {

// Where in memory the element `index` of a row-major space of these dimensions lies: an expression
// of the variable named, with all divisions by constants. The first dimension needs none.
std::string offset_text(const std::string& index, const std::vector<int64_t>& dims,
                        const std::vector<int64_t>& strides);

// An index type that holds `largest` with room for a grid's worth of overshoot.
const char* index_name(int64_t largest);

std::vector<int64_t> row_major_strides(const std::vector<int64_t>& dims);

// Groups of blocks that common/last_block.cuh has counters for.
inline constexpr int64_t most_split_groups = 2048;

bool is_aligned(const void* pointer, int64_t bytes);

}  // namespace stoker::cuda
