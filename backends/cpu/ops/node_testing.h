#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "device/node_testing.h"
#include "kernel.h"

namespace stoker::cpu {

// Plans and runs a node.
class TestNode {
 public:
  TestNode(std::string op, std::vector<TensorType> in, std::vector<TensorType> out)
      : node_(std::move(op), std::move(in), std::move(out)) {}
  template <class T>
  TestNode& with(const char* name, const T& value) {
    node_.add(name, value);
    return *this;
  }
  const std::vector<TensorType>& in() const { return node_.in(); }
  const std::vector<TensorType>& out() const { return node_.out(); }

  std::unique_ptr<Kernel> plan() const {
    return node_.describe_to([](const StokerNode& node) { return cpu::plan(NodeView(node)); });
  }

  // Plans, runs with a workspace of exactly the promised size, and returns the outputs' bytes.
  std::vector<std::vector<std::byte>> run(const std::vector<std::vector<std::byte>>& inputs) const {
    std::vector<std::vector<std::byte>> outputs;
    for (const auto& type : out())
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
  TestedNode node_;
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
