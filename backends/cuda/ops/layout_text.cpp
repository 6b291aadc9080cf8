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

const char* index_name(int64_t largest) {
  return largest < (int64_t{1} << 30) ? "int32_t" : "int64_t";
}

std::vector<int64_t> row_major_strides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d]) strides[d] = stride;
  return strides;
}

const char* const vector_helpers = R"cuda(
template <class T, int n> struct alignas(sizeof(T) * n) Vec { T at[n]; };
template <int n, class T> __device__ __forceinline__ Vec<T, n> load_vector(const T* from) {
  return *reinterpret_cast<const Vec<T, n>*>(from);
}
// The same from an address that need not be aligned for it.
template <int n, class T> __device__ __forceinline__ Vec<T, n> load_vector(const T* from, bool aligned) {
  if (aligned) return load_vector<n>(from);
  Vec<T, n> x;
  for (int i = 0; i < n; ++i) x.at[i] = from[i];
  return x;
}
template <int n, class T> __device__ __forceinline__ void store_vector(T* to, const Vec<T, n>& x) {
  *reinterpret_cast<Vec<T, n>*>(to) = x;
}
)cuda";

// Launches of a function that counts blocks do not overlap, so one set of counters serves them all;
// the last block of a group leaves its counter at zero.
const char* const last_block_helpers = R"cuda(
__device__ unsigned int arrived[2048];
__device__ __forceinline__ bool is_last_block(int group, int blocks) {
  __shared__ int last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(&arrived[group], 1u) == (unsigned int)(blocks - 1);
    if (last) arrived[group] = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}
)cuda";
static_assert(most_split_groups == 2048);

bool is_aligned(const void* pointer, int64_t bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % static_cast<uintptr_t>(bytes) == 0;
}

}  // namespace stoker::cuda
