#include "data/feeds/column_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace stoker::data {
namespace {

template <class T>
bool is_outside(T value, int64_t below) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<uint64_t>(value) >= static_cast<uint64_t>(below);
  else
    return !(value > -1 && static_cast<double>(value) < static_cast<double>(below));
}

// Blocks are compared as a whole: by vector instructions.
template <class T>
std::optional<int64_t> search(const Array& array, int64_t below) {
  constexpr size_t block = 256;
  const auto values = array.data<T>();
  for (size_t begin = 0; begin < values.size(); begin += block) {
    const size_t end = std::min(begin + block, values.size());
    bool any = false;
    for (size_t i = begin; i < end; ++i) any |= is_outside(values[i], below);
    for (size_t i = begin; any && i < end; ++i)
      if (is_outside(values[i], below)) return static_cast<int64_t>(i);
  }
  return std::nullopt;
}

std::optional<int64_t> first_outside(const Array& values, int64_t below) {
  if (values.dtype() == DType::int64) return search<int64_t>(values, below);
  if (values.dtype() == DType::int32) return search<int32_t>(values, below);
  if (values.dtype() == DType::float32) return search<float>(values, below);
  for (int64_t i = 0, n = values.size(); i < n; ++i)
    if (is_outside(values.at(i), below)) return i;
  return std::nullopt;
}

}  // namespace

void check_limit(const Array& column, const ColumnLimit& limit, const char* row) {
  if (limit.below == 0 || column.holds_strings()) return;
  const auto at = first_outside(column, limit.below);
  if (!at) return;
  const int64_t per_row = column.size() / std::max<int64_t>(column.length(), 1);
  throw InvalidArgument(fmt::format("{} {}{} has {} {}, but {}.", row, *at / per_row, limit.of,
                                    limit.what, column.at(*at), limit.why),
                        limit.hint);
}

}  // namespace stoker::data
