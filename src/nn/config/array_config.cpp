#include "nn/config/array_config.h"

#include <fmt/format.h>

#include "stoker/error.h"

namespace stoker::nn {
namespace {

void collect(const Config& value, size_t depth, std::vector<int64_t>& dims,
             std::vector<double>& out) {
  if (!value.is_list()) {
    if (depth != dims.size()) throw InvalidArgument("an array's lists differ in their depth.");
    out.push_back(value.is_bool() ? static_cast<double>(value.as_bool()) : value.as_double());
    return;
  }
  const auto& list = value.as_list();
  if (out.empty() && depth == dims.size()) dims.push_back(static_cast<int64_t>(list.size()));
  if (depth >= dims.size() || dims[depth] != static_cast<int64_t>(list.size()))
    throw InvalidArgument("an array's lists differ in their length.");
  for (const Config& item : list) collect(item, depth + 1, dims, out);
}

// The elements from `next` on as nested lists.
Config nested(const Array& array, int axis, int64_t& next) {
  if (axis == array.shape().rank()) {
    const double value = array.at(next++);
    return is_floating(array.dtype()) ? Config(value) : Config(static_cast<int64_t>(value));
  }
  Config::List list;
  for (int64_t i = 0; i < array.shape()[axis]; ++i) list.push_back(nested(array, axis + 1, next));
  return list;
}

}  // namespace

Config array_config(const Array& array) {
  int64_t next = 0;
  return Config::map(
      {{"value", nested(array, 0, next)}, {"dtype", std::string(name_of(array.dtype()))}});
}

Array array_from(const Config& config) {
  const Config *value = config.find("value"), *dtype = config.find("dtype");
  if (!value)
    throw InvalidArgument(fmt::format("an array needs a value, got {}.", config.to_string()));
  std::vector<int64_t> dims;
  std::vector<double> numbers;
  collect(*value, 0, dims, numbers);
  const Array array = Array::from(numbers, Shape(std::move(dims)));
  return array.astype(dtype ? parse_dtype(dtype->as_string()) : DType::float32);
}

Config shape_config(const Shape& shape) {
  Config::List list;
  for (int64_t dim : shape) {
    list.emplace_back();
    if (dim != unknown) list.back() = dim;
  }
  return list;
}

Shape shape_from(const Config& config) {
  std::vector<int64_t> dims;
  for (const Config& item : config.as_list())
    dims.push_back(item.is_null() ? unknown : item.as_int());
  return Shape(std::move(dims));
}

}  // namespace stoker::nn
