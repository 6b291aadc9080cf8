#include "exec/eager.h"

#include <unordered_map>

#include "exec/compiled_step.h"
#include "exec/variable.h"
#include "graph/tape.h"

namespace stoker::exec {
namespace {

constexpr size_t cache_limit = 4096;  // distinct (op, arguments, shapes); then it starts over

// Runs each op at once, as a compiled step of one node that is kept for the next time.
class EagerEmitter : public graph::Emitter {
 public:
  std::vector<Tensor> emit(const graph::Op& op, const std::vector<Tensor>& inputs,
                           const graph::Attrs& attrs) override {
    if (op.view && op.name == "stop_gradient")
      return {Tensor(std::make_shared<EagerTensor>(inputs[0].type(), buffer_of(inputs[0])))};
    return run_on_tensors(step_for(op, inputs, attrs), inputs);
  }

  Tensor constant(const Array& array) override {
    device::Buffer buffer(device::default_device(), array.bytes(), "a tensor");
    buffer.upload(array.raw(), array.bytes());
    return Tensor(std::make_shared<EagerTensor>(array.type(), std::move(buffer)));
  }

  // A copy: the variable may change while the tensor lives.
  Tensor read(const std::shared_ptr<graph::State>& state) override {
    const device::Buffer& memory = memory_of(*state).memory();
    device::Buffer copy(memory.device(), memory.bytes(), "a tensor");
    copy.fill_from(memory);
    Tensor tensor(std::make_shared<EagerTensor>(state->type, std::move(copy)));
    graph::Tape::record_read(*state, tensor);
    return tensor;
  }

  void assign(const std::shared_ptr<graph::State>& state, const Tensor& value) override {
    if (value.type() != state->type)
      throw InvalidArgument("variable \"" + state->name + "\" of type " + to_string(state->type) +
                            " cannot take a value of type " + to_string(value.type()) + ".");
    memory_of(*state).memory().fill_from(buffer_of(value));
  }

 private:
  CompiledStep& step_for(const graph::Op& op, const std::vector<Tensor>& inputs,
                         const graph::Attrs& attrs) {
    std::string key = op.name + "{" + attrs.to_string() + "}";
    for (const Tensor& tensor : inputs) key += to_string(tensor.type());
    if (steps_.size() > cache_limit) steps_.clear();
    auto& step = steps_[key];
    if (!step) {
      graph::Graph one;
      std::vector<graph::ValueId> in;
      for (const Tensor& tensor : inputs) in.push_back(one.add_input(tensor.type()));
      one.outputs = one.add_node(op, in, attrs, graph::PathScope::current());
      step = std::make_unique<CompiledStep>(std::move(one), device::default_device());
    }
    return *step;
  }
  std::unordered_map<std::string, std::unique_ptr<CompiledStep>> steps_;
};

[[maybe_unused]] const bool installed = [] {
  // Never destroyed: its steps hold device memory, and the devices may be gone at exit.
  static auto* emitter = new EagerEmitter;
  graph::set_eager_emitter(emitter);
  return true;
}();

}  // namespace

const device::Buffer& buffer_of(const Tensor& tensor) {
  auto* eager = tensor.defined() ? dynamic_cast<const EagerTensor*>(&tensor.impl()) : nullptr;
  if (!eager)
    throw InvalidArgument("a tensor of a traced step was used outside it.",
                          "return it from the traced function.");
  return eager->buffer;
}

std::vector<Tensor> run_on_tensors(CompiledStep& step, const std::vector<Tensor>& inputs) {
  std::vector<void*> pointers;
  for (const Tensor& tensor : inputs) pointers.push_back(buffer_of(tensor).data());
  step.run(pointers.data());
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < step.num_outputs(); ++i) {
    device::Buffer buffer(device::default_device(),
                          static_cast<uint64_t>(step.output_type(i).bytes()), "a tensor");
    const device::Device& device = buffer.device();
    device::check(device,
                  device.table().copy(device.index, buffer.data(), step.output_data(i),
                                      buffer.bytes(), stoker_device_to_device),
                  "copying a result");
    outputs.push_back(
        Tensor(std::make_shared<EagerTensor>(step.output_type(i), std::move(buffer))));
  }
  return outputs;
}

}  // namespace stoker::exec
