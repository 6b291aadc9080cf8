#include <algorithm>
#include <cstring>

#include "ops/support.h"

// An index out of range reads a row of zeros, or of NaN for an embedding, and writes nothing.
namespace stoker::cpu {
namespace {

std::unique_ptr<Kernel> plan_one_hot(const NodeView& node, std::string& refusal) {
  const int64_t count = node.in[0].shape.size(), depth = node.out[0].shape.back();
  const DType kind = node.out[0].dtype == DType::boolean ? DType::uint8 : node.out[0].dtype;
  return for_indices(node.in[0].dtype, refusal, [&](auto index) {
    using I = decltype(index);
    return for_numbers(kind, refusal, [&](auto zero) {
      using T = decltype(zero);
      return make_kernel([count, depth](void* const* p, void*) {
        const I* indices = static_cast<const I*>(p[0]);
        T* out = static_cast<T*>(p[1]);
        std::fill_n(out, count * depth, T{0});
        for (int64_t i = 0; i < count; ++i)
          if (const auto at = static_cast<int64_t>(indices[i]); at >= 0 && at < depth)
            out[i * depth + at] = T{1};
      });
    });
  });
}

// Rows are at random addresses, which the hardware prefetcher cannot predict: the next one is
// prefetched while this one is copied.
void prefetch_row(const std::byte* row, size_t bytes) {
  constexpr size_t line = 64, most = 4096;
  for (size_t at = 0; at < std::min(bytes, most); at += line) __builtin_prefetch(row + at);
}

// Fill bytes of a missing row: all bits set is a NaN in every floating-point format.
constexpr int zero_byte = 0, nan_byte = 0xff;

template <class I>
void gather_rows(const std::byte* table, int64_t rows, size_t row_bytes, int missing_byte,
                 const I* indices, int64_t begin, int64_t end, std::byte* out) {
  const auto row_at = [&](int64_t i) -> const std::byte* {
    const auto at = static_cast<int64_t>(indices[i]);
    return at >= 0 && at < rows ? table + static_cast<size_t>(at) * row_bytes : nullptr;
  };
  for (int64_t i = begin; i < end; ++i) {
    if (i + 1 < end) prefetch_row(row_at(i + 1), row_bytes);
    std::byte* to = out + static_cast<size_t>(i) * row_bytes;
    if (const std::byte* from = row_at(i))
      std::memcpy(to, from, row_bytes);
    else
      std::memset(to, missing_byte, row_bytes);
  }
}

std::unique_ptr<Kernel> plan_gather(const NodeView& node, std::string& refusal) {
  constexpr size_t worth_a_thread = 16 * 1024;  // bytes from cold memory
  const Shape& table = node.in[0].shape;
  const int64_t rows = rows_to_gather_from(table), count = node.in[1].shape.size();
  const auto row_bytes =
      static_cast<size_t>(product(table, 1, table.rank())) * size_of(node.in[0].dtype);
  const int missing_byte = node.flag("nan_outside") ? nan_byte : zero_byte;
  const auto grain = static_cast<int64_t>(1 + worth_a_thread / std::max<size_t>(row_bytes, 1));
  return for_indices(node.in[1].dtype, refusal, [&](auto index) {
    using I = decltype(index);
    return make_kernel([=](void* const* p, void*) {
      parallel_for(count, grain, [&](int64_t begin, int64_t end) {
        gather_rows(static_cast<const std::byte*>(p[0]), rows, row_bytes, missing_byte,
                    static_cast<const I*>(p[1]), begin, end, static_cast<std::byte*>(p[2]));
      });
    });
  });
}

// Each thread owns a range of output rows and processes the values in order, so that sums do not
// depend on the number of threads.
template <class T, class I>
void scatter_add(const T* values, const I* indices, T* out, int64_t count, int64_t rows,
                 int64_t width) {
  parallel_for(rows, grain_for(width), [&](int64_t begin, int64_t end) {
    std::fill_n(out + begin * width, (end - begin) * width, T{0});
    for (int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<int64_t>(indices[i]);
      if (at < begin || at >= end) continue;
      for (int64_t j = 0; j < width; ++j)
        out[at * width + j] = static_cast<T>(out[at * width + j] + values[i * width + j]);
    }
  });
}

std::unique_ptr<Kernel> plan_scatter_add(const NodeView& node, std::string& refusal) {
  const Shape& out = node.out[0].shape;
  const int64_t rows = out[0], width = product(out, 1, out.rank()), count = node.in[1].shape.size();
  return for_indices(node.in[1].dtype, refusal, [&](auto index) {
    using I = decltype(index);
    return for_numbers(node.in[0].dtype, refusal, [&](auto zero) {
      using T = decltype(zero);
      return make_kernel([=](void* const* p, void*) {
        scatter_add(static_cast<const T*>(p[0]), static_cast<const I*>(p[1]), static_cast<T*>(p[2]),
                    count, rows, width);
      });
    });
  });
}

const RegisterKernel one_hot{"one_hot", "plain", reference, plan_one_hot};
const RegisterKernel gather{"gather", "rows", reference, plan_gather};
const RegisterKernel scatter{"scatter_add", "rows", reference, plan_scatter_add};

}  // namespace
}  // namespace stoker::cpu
