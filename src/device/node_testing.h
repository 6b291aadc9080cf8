#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/backend_interface.h"
#include "stoker/shape.h"

namespace stoker {

// For tests of backends: describes a node to the planners as the engine would.
class TestedNode {
 public:
  TestedNode(std::string op, std::vector<TensorType> in, std::vector<TensorType> out)
      : op_(std::move(op)), in_(std::move(in)), out_(std::move(out)) {}
  void add(const char* name, int64_t value) { add({.name = name, .kind = stoker_int, .i = value}); }
  void add(const char* name, double value) {
    add({.name = name, .kind = stoker_float, .f = value});
  }
  void add(const char* name, const std::string& value) {
    const auto& kept = *texts_.emplace_back(new std::string(value));
    add({.name = name, .kind = stoker_string, .s = kept.c_str()});
  }
  void add(const char* name, const std::vector<int64_t>& value) {
    const auto& kept = *lists_.emplace_back(new std::vector<int64_t>(value));
    add({.name = name,
         .kind = stoker_ints,
         .count = static_cast<int32_t>(kept.size()),
         .ints = kept.data()});
  }
  const std::string& op() const { return op_; }
  const std::vector<TensorType>& in() const { return in_; }
  const std::vector<TensorType>& out() const { return out_; }

  // f(const StokerNode&); the description is valid during the call.
  template <class F>
  auto describe_to(F f) const {
    const auto in = described(in_), out = described(out_);
    return f(StokerNode{op_.c_str(), in.data(), out.data(), attrs_.data(),
                        static_cast<int32_t>(in.size()), static_cast<int32_t>(out.size()),
                        static_cast<int32_t>(attrs_.size())});
  }

 private:
  static std::vector<StokerTensor> described(const std::vector<TensorType>& types) {
    std::vector<StokerTensor> tensors;
    for (const TensorType& type : types)
      tensors.push_back(
          {static_cast<int32_t>(type.dtype), type.shape.rank(), type.shape.dims().data()});
    return tensors;
  }
  void add(StokerAttr attr) { attrs_.push_back(attr); }

  std::string op_;
  std::vector<TensorType> in_, out_;
  std::vector<StokerAttr> attrs_;
  std::vector<std::shared_ptr<std::string>> texts_;
  std::vector<std::shared_ptr<std::vector<int64_t>>> lists_;
};

}  // namespace stoker
