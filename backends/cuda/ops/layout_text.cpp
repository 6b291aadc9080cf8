#include "ops/layout_text.h"

#include <fmt/format.h>

namespace stoker::cuda {

std::string offset_text(const std::string& index, const std::vector<int64_t>& dims,
                        const std::vector<int64_t>& strides) {
  std::string text;
  int64_t inside = 1;  // elements of the dimensions after d
  for (size_t d = dims.size(); d-- > 0; inside *= dims[d]) {
    if (strides[d] == 0 || dims[d] == 1) continue;
    std::string at = inside == 1 ? index : fmt::format("{} / {}", index, inside);
    if (d > 0) at = fmt::format("({}) % {}", at, dims[d]);
    text += (text.empty() ? "" : " + ") +
            (strides[d] == 1 ? fmt::format("({})", at) : fmt::format("({}) * {}", at, strides[d]));
  }
  return text.empty() ? "0" : text;
}

bool needs_64_bits(int64_t largest) { return largest >= int64_t{1} << 30; }

const char* index_name(int64_t largest) { return needs_64_bits(largest) ? "int64_t" : "int32_t"; }

std::vector<int64_t> row_major_strides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d]) strides[d] = stride;
  return strides;
}

bool is_aligned(const void* pointer, int64_t bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % static_cast<uintptr_t>(bytes) == 0;
}

}  // namespace stoker::cuda
