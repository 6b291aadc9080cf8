#include "nn/operations/operation.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/array_config.h"
#include "nn/call_form.h"
#include "stoker/ops/elementwise.h"

namespace stoker::nn {
namespace {

// numpy's order: bool, integers, floats; of two of a kind the wider one.
DType promoted(DType a, DType b) {
  const auto rank = [](DType dtype) {
    if (dtype == DType::boolean) return size_t{0};
    return (is_floating(dtype) ? size_t{200} : size_t{100}) + size_of(dtype);
  };
  if (is_half(a) && is_half(b) && a != b) return DType::float32;
  return rank(a) >= rank(b) ? a : b;
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
  throw InvalidArgument(fmt::format("expected a tensor, got {}.", value.to_string()));
}

Tensor OperationCall::tensor(size_t i) const { return from(value(i)); }

std::vector<Tensor> OperationCall::tensors(size_t i) const {
  std::vector<Tensor> found;
  for (const Config& item : value(i).as_list()) found.push_back(from(item));
  return found;
}

std::pair<Tensor, Tensor> OperationCall::operands(size_t i, size_t j) const {
  if (is_tensor(i) && is_tensor(j)) {
    const Tensor a = tensor(i), b = tensor(j);
    const DType dtype = promoted(a.dtype(), b.dtype());
    return {ops::cast(a, dtype), ops::cast(b, dtype)};
  }
  const bool first = is_tensor(i);
  const Config& number = value(first ? j : i);
  Tensor other = tensor(first ? i : j);
  if (!number.is_int() && !number.is_bool() && !is_floating(other.dtype()))
    other = ops::cast(other, DType::float32);
  const double plain = number.is_bool() ? number.as_bool() : number.as_double();
  const Tensor scalar = Array::scalar(plain).astype(other.dtype());
  return first ? std::pair(other, scalar) : std::pair(scalar, other);
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
