#include "nn/call_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace stoker::nn {
namespace {

using Call = std::shared_ptr<CallNode>;

// Identifies a layer or an Input.
const void* operation_of(const CallNode& call) {
  return call.layer.ptr() ? static_cast<const void*>(call.layer.ptr().get()) : &call;
}

class Mapper {
 public:
  explicit Mapper(const std::vector<Tensor>& inputs) {
    for (const Tensor& input : inputs) given_.insert(as_spec(input)->node.get());
  }

  // Depth-first, inputs before their users; iterative, as networks can be deep.
  void visit(const Call& root) {
    struct Open {
      Call call;
      std::vector<Tensor> inputs;
      size_t next = 0;
    };
    std::vector<Open> open;
    const auto enter = [&](const Call& call) {
      if (!seen_.insert(call.get()).second) return;
      first_seen_.try_emplace(operation_of(*call), first_seen_.size());
      if (!call->layer.ptr() && !given_.contains(call.get()))
        throw InvalidArgument(fmt::format(
            "the outputs depend on Input \"{}\", which is not among the model's inputs.",
            call->name));
      open.push_back({call, spec_inputs(*call)});
    };
    enter(root);
    while (!open.empty()) {
      Open& top = open.back();
      if (top.next < top.inputs.size()) {
        const Call next = as_spec(top.inputs[top.next++])->node;
        enter(next);
      } else {
        calls.push_back(top.call);
        open.pop_back();
      }
    }
  }

  // An unused Input comes first among the layers of depth 0.
  void add_unused(const std::vector<Tensor>& inputs) {
    for (const Tensor& input : inputs) {
      const Call& call = as_spec(input)->node;
      if (!seen_.insert(call.get()).second) continue;
      unused_.push_back(call);
    }
  }

  std::vector<FunctionalNetwork::Calls> operations() const {
    const auto depths = operation_depths();
    std::vector<FunctionalNetwork::Calls> found;
    std::unordered_map<const void*, size_t> place;
    for (const Call& call : unused_) found.push_back({call});
    for (const Call& call : calls) {
      const auto [at, is_new] = place.try_emplace(operation_of(*call), found.size());
      if (is_new) found.emplace_back();
      found[at->second].push_back(call);
    }
    for (auto& group : found)
      std::ranges::sort(group, {}, [](const Call& call) { return call->order; });
    const auto depth = [&](const FunctionalNetwork::Calls& group) {
      const auto at = depths.find(operation_of(*group[0]));
      return at == depths.end() ? 0 : at->second;
    };
    const auto index = [&](const FunctionalNetwork::Calls& group) {
      const auto at = first_seen_.find(operation_of(*group[0]));
      return at == first_seen_.end() ? -1 : static_cast<int64_t>(at->second);
    };
    std::ranges::stable_sort(found, [&](const auto& a, const auto& b) {
      return depth(a) != depth(b) ? depth(a) > depth(b) : index(a) < index(b);
    });
    return found;
  }

  FunctionalNetwork::Calls calls;

 private:
  // Keras's depth: the longest path to an output; a shared layer has the depth of its deepest call.
  std::unordered_map<const void*, int64_t> operation_depths() const {
    std::unordered_map<const CallNode*, int64_t> of_call;
    std::unordered_map<const void*, int64_t> of_operation;
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
      int64_t& operation = of_operation[operation_of(**call)];
      operation = std::max(operation, of_call[call->get()]);
      for (const Tensor& input : spec_inputs(**call)) {
        int64_t& before = of_call[as_spec(input)->node.get()];
        before = std::max(before, operation + 1);
      }
    }
    return of_operation;
  }

  std::unordered_set<const CallNode*> given_, seen_;
  std::unordered_map<const void*, size_t> first_seen_;
  std::vector<Call> unused_;
};

}  // namespace

std::vector<Tensor> spec_inputs(const CallNode& node) {
  if (node.form) return node.form->tensors;
  std::vector<Tensor> found;
  const auto add = [&](const std::vector<Tensor>& tensors) {
    for (const Tensor& tensor : tensors)
      if (as_spec(tensor)) found.push_back(tensor);
  };
  add(node.inputs);
  for (const auto& [name, tensors] : node.args.tensors) add(tensors);
  return found;
}

CallGraph map_graph(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) {
  Mapper mapper(inputs);
  for (const Tensor& output : outputs) mapper.visit(as_spec(output)->node);
  mapper.add_unused(inputs);
  return {mapper.calls, mapper.operations()};
}

}  // namespace stoker::nn
