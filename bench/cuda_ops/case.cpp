#include "case.h"

#include <fmt/format.h>

#include <sstream>

#include "stoker/error.h"

namespace stoker::bench {
namespace {

std::vector<int64_t> integers_of(const std::string& text) {
  std::vector<int64_t> values;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) values.push_back(std::stoll(part));
  return values;
}

CaseTensor tensor_of(const std::string& word) {
  const size_t colon = word.find(':'), at = std::min(word.find('@'), word.size());
  CaseTensor tensor;
  tensor.type = {parse_dtype(word.substr(0, colon)),
                 Shape(integers_of(word.substr(colon + 1, at - colon - 1)))};
  if (at < word.size()) {
    const size_t dots = word.find("..", at);
    if (dots == std::string::npos)
      throw InvalidArgument(fmt::format("{}: a range is written as @0..1.", word));
    tensor.low = std::stod(word.substr(at + 1, dots - at - 1));
    tensor.high = std::stod(word.substr(dots + 2));
  }
  return tensor;
}

StokerTensor described(const CaseTensor& tensor) {
  return {static_cast<int32_t>(tensor.type.dtype), tensor.type.shape.rank(),
          tensor.type.shape.dims().data()};
}

}  // namespace

Case::Case(const std::string& text) : line(text) {
  std::stringstream words(text);
  words >> op;
  bool outputs = false;
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    if (word == "->")
      outputs = true;
    else if (equals != std::string::npos)
      add_attribute(word.substr(0, equals), word.substr(equals + 1));
    else if (word.find(':') != std::string::npos)
      (outputs ? out : in).push_back(tensor_of(word));
    else
      throw InvalidArgument(fmt::format("{}: neither a tensor nor an attribute.", word));
  }
  for (const CaseTensor& tensor : in) in_.push_back(described(tensor));
  for (const CaseTensor& tensor : out) out_.push_back(described(tensor));
}

void Case::add_attribute(const std::string& name, const std::string& value) {
  StokerAttr attr{};
  attr.name = texts_.emplace_back(new std::string(name))->c_str();
  if (value.starts_with('[')) {
    const auto& list = *lists_.emplace_back(new std::vector<int64_t>(integers_of(value.substr(1))));
    attr.kind = stoker_ints;
    attr.count = static_cast<int32_t>(list.size());
    attr.ints = list.data();
  } else if (value.find_first_not_of("-0123456789") == std::string::npos) {
    attr.kind = stoker_int;
    attr.i = std::stoll(value);
  } else if (value.find_first_not_of("-0123456789.e") == std::string::npos) {
    attr.kind = stoker_float;
    attr.f = std::stod(value);
  } else {
    attr.kind = stoker_string;
    attr.s = texts_.emplace_back(new std::string(value))->c_str();
  }
  attrs_.push_back(attr);
}

StokerNode Case::node() const {
  return {op.c_str(),
          in_.data(),
          out_.data(),
          attrs_.data(),
          static_cast<int32_t>(in_.size()),
          static_cast<int32_t>(out_.size()),
          static_cast<int32_t>(attrs_.size())};
}

double Case::bytes() const {
  double sum = 0;
  for (const auto* tensors : {&in, &out})
    for (const CaseTensor& tensor : *tensors) sum += static_cast<double>(tensor.type.bytes());
  return sum;
}

int64_t Case::integer(const char* name) const {
  for (const StokerAttr& attr : attrs_)
    if (std::string_view(name) == attr.name) return attr.i;
  return 0;
}

double Case::flops() const {
  if (op.find("matmul") == std::string::npos) return 0;
  const int64_t k = in[0].type.shape[integer("transpose_a") ? 0 : 1];
  return 2.0 * static_cast<double>(out[0].type.shape.size()) * static_cast<double>(k);
}

}  // namespace stoker::bench
