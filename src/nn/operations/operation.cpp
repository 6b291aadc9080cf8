#include "nn/operations/operation.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/promotion.h"
#include "nn/config/array_config.h"
#include "nn/saving/call_arguments.h"
#include "stoker/ops/elementwise.h"

namespace stoker::nn {
namespace {

bool is_number(const Config& value) { return value.is_number() || value.is_bool(); }

DType dtype_of_number(const Config& number) {
  if (number.is_bool()) return DType::boolean;
  return number.is_int() ? DType::int32 : DType::float32;
}

// Numbers in nested lists of equal shape.
void collect(const Config& value, size_t depth, std::vector<int64_t>& shape,
             std::vector<double>& numbers, DType& dtype) {
  if (is_number(value) && depth == shape.size()) {
    dtype = graph::result_type(dtype, dtype_of_number(value));
    numbers.push_back(value.is_bool() ? value.as_bool() : value.as_double());
    return;
  }
  const bool fits = value.is_list() && depth < shape.size() &&
                    shape[depth] == static_cast<int64_t>(value.as_list().size());
  if (!fits)
    throw InvalidArgument(fmt::format("expected a tensor or numbers, got {}.", value.to_string()));
  for (const Config& item : value.as_list()) collect(item, depth + 1, shape, numbers, dtype);
}

Tensor from_numbers(const Config& value) {
  std::vector<int64_t> shape;
  for (const Config* at = &value; at->is_list(); at = &at->as_list()[0]) {
    shape.push_back(static_cast<int64_t>(at->as_list().size()));
    if (at->as_list().empty()) break;
  }
  std::vector<double> numbers;
  DType dtype = DType::boolean;
  collect(value, 0, shape, numbers, dtype);
  if (numbers.empty()) dtype = DType::float32;
  return Array::from(numbers, Shape(shape)).astype(dtype);
}

}  // namespace

OperationCall::OperationCall(const Config& args, const Config& kwargs,
                             const std::vector<Tensor>& tensors)
    : args_(args.as_list()), kwargs_(kwargs), tensors_(tensors) {}

Config OperationCall::optional(size_t i, const std::string& name) const {
  taken_.push_back(name);
  if (i < args_.size()) return args_[i];
  const Config* named = kwargs_.find(name);
  return named ? *named : Config();
}

Tensor OperationCall::optional_tensor(size_t i, const std::string& name) const {
  const Config given = optional(i, name);
  return given.is_null() ? Tensor() : from(given);
}

void OperationCall::expect_all_taken() const {
  for (const auto& [key, value] : kwargs_.as_map())
    if (!value.is_null() && std::ranges::find(taken_, key) == taken_.end())
      throw Unsupported(fmt::format("the argument \"{}\" is not supported.", key));
}

const Config& OperationCall::value(size_t i) const {
  if (i >= args_.size())
    throw InvalidArgument(fmt::format("{} arguments, {} are needed.", args_.size(), i + 1));
  return args_[i];
}

bool OperationCall::is_tensor(size_t i) const {
  return is_call_tensor(value(i)) || is_call_array(value(i));
}

Tensor OperationCall::from(const Config& value) const {
  if (is_call_tensor(value))
    return tensors_.at(static_cast<size_t>(value.find("config")->as_int()));
  if (is_call_array(value)) return array_from(*value.find("config"));
  return from_numbers(value);
}

Tensor OperationCall::tensor(size_t i) const { return from(value(i)); }

std::vector<Tensor> OperationCall::tensors(size_t i) const {
  std::vector<Tensor> found;
  for (const Config& item : value(i).as_list()) found.push_back(from(item));
  return found;
}

std::pair<Tensor, Tensor> OperationCall::operands(size_t i, size_t j) const {
  const Tensor a = tensor(i), b = tensor(j);
  DType dtype = graph::result_type(a.dtype(), b.dtype());
  // Next to a tensor a Python number has a weak type: 1.5 does not promote float16 to float32.
  if (is_number(value(i)) != is_number(value(j))) {
    const DType tensors = (is_number(value(i)) ? b : a).dtype();
    const DType number = (is_number(value(i)) ? a : b).dtype();
    const bool same_kind = is_floating(tensors) || (is_integer(tensors) && !is_floating(number));
    dtype = same_kind ? tensors : dtype;
  }
  return {ops::cast(a, dtype), ops::cast(b, dtype)};
}

OperationLayer::OperationLayer(std::string module, std::string class_name, std::string name)
    : Layer(std::move(class_name), std::move(name), std::source_location{}),
      module_(std::move(module)) {
  autocast = false;  // an operation computes in the dtypes of its inputs
}

std::vector<Tensor> OperationLayer::call_all(const std::vector<Tensor>& inputs,
                                             const CallArgs& args) {
  try {
    const OperationCall call(*args.options.find("args"), *args.options.find("kwargs"), inputs);
    auto results = compute(call);
    call.expect_all_taken();
    return results;
  } catch (Error& error) {
    error.add_where(fmt::format("operation {}", class_name()));
    throw;
  }
}

}  // namespace stoker::nn
