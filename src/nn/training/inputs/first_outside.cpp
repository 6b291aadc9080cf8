#include "nn/training/inputs/first_outside.h"

namespace stoker::nn {
namespace {

template <class T>
std::optional<int64_t> search(const Array& array, int64_t limit) {
  const auto values = array.data<T>();
  for (size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > static_cast<T>(-1) && static_cast<double>(values[i]) < limit))
      return static_cast<int64_t>(i);
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> first_outside(const Array& values, int64_t limit) {
  if (values.dtype() == DType::int64) return search<int64_t>(values, limit);
  if (values.dtype() == DType::int32) return search<int32_t>(values, limit);
  if (values.dtype() == DType::float32) return search<float>(values, limit);
  for (int64_t i = 0, n = values.size(); i < n; ++i)
    if (const double value = values.at(i); !(value > -1 && value < static_cast<double>(limit)))
      return i;
  return std::nullopt;
}

}  // namespace stoker::nn
