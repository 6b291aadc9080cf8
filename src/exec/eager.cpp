#include "exec/eager.h"

#include <atomic>
#include <cstring>
#include <map>
#include <thread>
#include <tuple>
#include <unordered_map>

#include "device/memory/upload.h"
#include "device/scope.h"
#include "device/switches.h"
#include "exec/compiled_step.h"
#include "exec/loop_account.h"
#include "exec/variable.h"
#include "graph/tape.h"

namespace stoker::exec {
namespace {

// The scope's device, else that of the largest operand, which minimises copies.
device::Device device_for(const std::vector<Tensor>& inputs) {
  if (const device::Scope* scope = device::Scope::innermost()) return scope->device();
  const device::Buffer* largest = nullptr;
  for (const Tensor& tensor : inputs)
    if (const device::Buffer& buffer = buffer_of(tensor);
        !largest || buffer.bytes() > largest->bytes())
      largest = &buffer;
  return largest ? largest->device() : device::current_device("an op");
}

device::Buffer buffer_on(const device::Device& device, const Tensor& tensor) {
  const device::Buffer& buffer = buffer_of(tensor);
  if (device.shares_memory_with(buffer.device())) return buffer;
  device::Buffer there(device, buffer.bytes(), "a tensor");
  there.fill_from(buffer);
  return there;
}

void copy_output(const CompiledStep& step, size_t i, const device::Buffer& to) {
  const device::Device& device = step.device();
  device::check(device,
                device.table().copy(device.index, to.data(), step.output_data(i), to.bytes(),
                                    stoker_device_to_device),
                "copying a result");
}

device::Buffer fresh_result(const CompiledStep& step, size_t i) {
  return {step.device(), static_cast<uint64_t>(step.output_type(i).bytes()), "a tensor"};
}

// Runs with the pointers of the inputs, and gives the results' memory.
std::vector<device::Buffer> run_for_results(CompiledStep& step, std::vector<void*>& pointers) {
  ResultSlots& slots = step.results();
  const size_t count = step.num_outputs();
  std::vector<device::Buffer> results;
  for (size_t i = 0; i < slots.size(); ++i) pointers.push_back(slots.begin_run(i));
  for (size_t i = slots.size(); i < count; ++i)
    pointers.push_back(results.emplace_back(fresh_result(step, i)).data());
  LoopAccount::running(step.device(), [&] { step.run(pointers.data()); });
  for (size_t i = 0; i < slots.size(); ++i) results.push_back(slots.end_run(i));
  for (size_t i = 0; i < count && !step.plan().binds_outputs; ++i) copy_output(step, i, results[i]);
  return results;
}

constexpr size_t cache_limit = 4096;  // distinct (op, arguments, shapes); then the cache is cleared
constexpr size_t scalar_limit = 256;

const std::thread::id main_thread = std::this_thread::get_id();

// Cached steps, one cache per thread: a step's memory must not be used by two threads at once.
struct Kept {
  std::unordered_map<std::string, std::unique_ptr<CompiledStep>> steps;
  uint64_t switches = 0;
  // Scalars that were uploaded to devices, by value.
  std::map<std::tuple<const device::MemoryAccount*, DType, uint64_t>, device::Buffer> scalars;
};

Kept& kept() {
  struct Owner {
    std::unique_ptr<Kept> own = std::make_unique<Kept>();
    ~Owner() {  // the main thread's cache is leaked: the devices may already be gone when it ends
      static std::atomic<Kept*> stays;
      if (std::this_thread::get_id() == main_thread) stays = own.release();
    }
  };
  static thread_local Owner owner;
  return *owner.own;
}

Tensor tensor_of(const Array& array, device::Buffer buffer) {
  return Tensor(std::make_shared<EagerTensor>(array.type(), std::move(buffer)));
}

device::Buffer uploaded(const device::Device& device, const Array& array) {
  return device::upload_together(device, {&array, 1}, "a tensor")[0];
}

bool is_kept_scalar(const device::Device& device, const Array& array) {
  return array.size() == 1 && array.bytes() <= sizeof(uint64_t) && !device.is_host();
}

// Loops use the same few constants again and again.
device::Buffer uploaded_scalar(const device::Device& device, const Array& scalar) {
  auto& known = kept().scalars;
  uint64_t bits = 0;
  std::memcpy(&bits, scalar.raw(), scalar.bytes());
  if (known.size() >= scalar_limit) known.clear();
  device::Buffer& buffer = known[{device.account, scalar.dtype(), bits}];
  if (!buffer.defined()) buffer = uploaded(device, scalar);
  return buffer;
}

// Runs each op immediately, as a compiled step of one node that is cached.
class EagerEmitter : public graph::Emitter {
 public:
  std::vector<Tensor> emit(const graph::Op& op, const std::vector<Tensor>& inputs,
                           const graph::Attrs& attrs) override {
    if (op.view) return {view_of(op, inputs, attrs)};
    return run_on_tensors(step_for(op, inputs, attrs), inputs);
  }

  Tensor constant(const Array& array) override {
    const device::Device device = device::current_device("a tensor");
    return tensor_of(array, is_kept_scalar(device, array) ? uploaded_scalar(device, array)
                                                          : uploaded(device, array));
  }

  // A copy: the variable may change while the tensor lives.
  Tensor read(const std::shared_ptr<graph::State>& state) override {
    const device::Buffer& memory = memory_of(*state).memory();
    const device::Scope* scope = device::Scope::innermost();
    device::Buffer copy(scope ? scope->device() : memory.device(), memory.bytes(), "a tensor");
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
  // Tensors are immutable, so they can share memory.
  Tensor view_of(const graph::Op& op, const std::vector<Tensor>& inputs,
                 const graph::Attrs& attrs) const {
    std::vector<TensorType> types;
    for (const Tensor& tensor : inputs) types.push_back(tensor.type());
    return Tensor(std::make_shared<EagerTensor>(op.infer(types, attrs).at(0),
                                                buffer_on(device_for(inputs), inputs[0])));
  }
  CompiledStep& step_for(const graph::Op& op, const std::vector<Tensor>& inputs,
                         const graph::Attrs& attrs) {
    const device::Device device = device_for(inputs);
    std::string key = device.name() + op.name + "{" + attrs.to_string() + "}";
    for (const Tensor& tensor : inputs) key += to_string(tensor.type());
    auto& [steps, switches, scalars] = kept();
    const uint64_t now = device::switches_version();
    if (switches != now || steps.size() > cache_limit) steps.clear();
    switches = now;
    auto& step = steps[key];
    if (!step || step->device() != device) {
      graph::Graph one;
      std::vector<graph::ValueId> in;
      for (const Tensor& tensor : inputs) in.push_back(one.add_input(tensor.type()));
      one.outputs = one.add_node(op, in, attrs, graph::PathScope::current());
      StepPlan plan = plan_step(std::move(one), device);
      plan.bind_outputs();
      step = std::make_unique<CompiledStep>(std::move(plan));
    }
    return *step;
  }
};

[[maybe_unused]] const bool installed = [] {
  static auto* emitter = new EagerEmitter;
  graph::set_eager_emitter(emitter);
  return true;
}();

}  // namespace

// Synchronises with the device.
Array EagerTensor::array() const {
  const auto booked = ledger::book_in_loop(ledger::Activity::metrics);
  Array read = device::to_host(type, buffer.device(), buffer.data());
  if (LoopAccount* account = LoopAccount::current()) account->clock.settled();
  return read;
}

const device::Buffer& buffer_of(const Tensor& tensor) {
  auto* eager = tensor.defined() ? dynamic_cast<const EagerTensor*>(&tensor.impl()) : nullptr;
  if (!eager)
    throw InvalidArgument("a tensor of a traced step was used outside it.",
                          "return it from the traced function.");
  return eager->buffer;
}

// Cached scalars are usually on the device already.
std::vector<Tensor> upload_tensors(const std::vector<Array>& arrays) {
  if (arrays.empty()) return {};
  const device::Device device = device::current_device("a tensor");
  std::vector<Array> sent;
  for (const Array& array : arrays)
    if (!is_kept_scalar(device, array)) sent.push_back(array);
  const auto buffers = device::upload_together(device, sent, "a tensor");
  std::vector<Tensor> tensors;
  auto next = buffers.begin();
  for (const Array& array : arrays)
    tensors.push_back(is_kept_scalar(device, array) ? Tensor(array) : tensor_of(array, *next++));
  return tensors;
}

std::vector<Tensor> run_on_tensors(CompiledStep& step, const std::vector<Tensor>& inputs) {
  const device::Device& device = step.device();
  std::vector<device::Buffer> buffers;  // keeps copies alive until the step is done
  std::vector<void*> pointers;
  for (const Tensor& tensor : inputs) {
    buffers.push_back(buffer_on(device, tensor));
    pointers.push_back(buffers.back().data());
  }
  std::vector<device::Buffer> results = run_for_results(step, pointers);
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < results.size(); ++i)
    outputs.push_back(
        Tensor(std::make_shared<EagerTensor>(step.output_type(i), std::move(results[i]))));
  return outputs;
}

}  // namespace stoker::exec
