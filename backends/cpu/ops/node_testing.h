#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "kernel.h"

namespace stoker::cpu {

// Describes a node to the planners as the engine would.
class TestNode {
 public:
  TestNode(std::string op, std::vector<TensorType> in, std::vector<TensorType> out)
      : op_(std::move(op)), in_(std::move(in)), out_(std::move(out)) {}
  TestNode& with(const char* name, int64_t value) {
    return add({.name = name, .kind = stoker_int, .i = value});
  }
  TestNode& with(const char* name, double value) {
    return add({.name = name, .kind = stoker_float, .f = value});
  }
  TestNode& with(const char* name, const std::string& value) {
    return add({.name = name,
                .kind = stoker_string,
                .s = texts_.emplace_back(new std::string(value))->c_str()});
  }
  TestNode& with(const char* name, const std::vector<int64_t>& value) {
    const auto& kept = *lists_.emplace_back(new std::vector<int64_t>(value));
    return add({.name = name,
                .kind = stoker_ints,
                .count = static_cast<int32_t>(kept.size()),
                .ints = kept.data()});
  }
  const std::vector<TensorType>& in() const { return in_; }
  const std::vector<TensorType>& out() const { return out_; }

  std::unique_ptr<Kernel> plan() const {
    std::vector<StokerTensor> in, out;
    for (const auto& type : in_) in.push_back(describe(type));
    for (const auto& type : out_) out.push_back(describe(type));
    const StokerNode node{op_.c_str(),
                          in.data(),
                          out.data(),
                          attrs_.data(),
                          static_cast<int32_t>(in.size()),
                          static_cast<int32_t>(out.size()),
                          static_cast<int32_t>(attrs_.size())};
    return cpu::plan(NodeView(node));
  }

  // Plans, runs with scratch memory of exactly the promised size, and returns the outputs' bytes.
  std::vector<std::vector<std::byte>> run(const std::vector<std::vector<std::byte>>& inputs) const {
    std::vector<std::vector<std::byte>> outputs;
    for (const auto& type : out_)
      outputs.emplace_back(static_cast<size_t>(type.bytes()), std::byte{0x5a});
    std::vector<void*> arguments;
    for (const auto& input : inputs) arguments.push_back(const_cast<std::byte*>(input.data()));
    for (auto& output : outputs) arguments.push_back(output.data());
    run_on(arguments);
    return outputs;
  }
  void run_on(const std::vector<void*>& arguments) const {
    auto kernel = plan();
    const auto free_memory = [](void* p) { std::free(p); };
    const std::unique_ptr<void, decltype(free_memory)> scratch(
        std::aligned_alloc(64, (kernel->workspace + 63) / 64 * 64 + 64), free_memory);
    std::memset(scratch.get(), 0xff, kernel->workspace);
    kernel->run(arguments.data(), scratch.get());
  }

 private:
  static StokerTensor describe(const TensorType& type) {
    return {static_cast<int32_t>(type.dtype), type.shape.rank(), type.shape.dims().data()};
  }
  TestNode& add(StokerAttr attr) {
    attrs_.push_back(attr);
    return *this;
  }
  std::string op_;
  std::vector<TensorType> in_, out_;
  std::vector<StokerAttr> attrs_;
  std::vector<std::unique_ptr<std::string>> texts_;
  std::vector<std::unique_ptr<std::vector<int64_t>>> lists_;
};

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace stoker::cpu
