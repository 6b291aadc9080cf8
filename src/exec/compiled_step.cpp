#include "exec/compiled_step.h"

#include <fmt/format.h>

#include "exec/variable.h"
#include "graph/rewrite.h"

namespace stoker::exec {

// Owns a backend's kernel. Views have none.
struct CompiledStep::Kernel {
  device::Device device;
  StokerPlan plan{};
  Kernel(const device::Device& d, StokerPlan p) : device(d), plan(p) {}
  Kernel(Kernel&& other) noexcept : device(other.device), plan(std::exchange(other.plan, {})) {}
  Kernel& operator=(Kernel&&) = delete;
  ~Kernel() {
    if (plan.kernel) device.table().release_kernel(plan.kernel);
  }
};

CompiledStep::CompiledStep(graph::Graph graph, const device::Device& device,
                           device::Buffer* shared_arena)
    : device_(device) {
  const auto accepts = [&](const graph::Graph& g, const graph::Node& node) {
    try {
      const Kernel trial(device_, plan_node(device_, g, node));
      return true;
    } catch (const Unsupported&) {
      return false;
    }
  };
  graph_ = graph::run_passes(std::move(graph), accepts);
  plan_kernels();
  allocate(shared_arena);
  create_program();
}

CompiledStep::~CompiledStep() {
  if (program_) device_.table().release_program(program_);
}

void CompiledStep::plan_kernels() {
  std::vector<int64_t> workspace;
  for (const graph::Node& node : graph_.nodes) {
    kernels_.emplace_back(device_, node.op->view ? StokerPlan{} : plan_node(device_, graph_, node));
    workspace.push_back(static_cast<int64_t>(kernels_.back().plan.workspace));
  }
  plan_ = graph::plan_memory(graph_, workspace);
}

// Says what the memory is wanted for before any of it is taken.
void CompiledStep::check_memory() const {
  int64_t states = 0, largest = 0;
  std::string largest_name;
  for (const auto& use : graph_.states) {
    const device::Buffer& buffer = memory_of(*use.state).buffer;
    if (buffer.defined() && buffer.device() == device_) continue;
    const int64_t bytes = use.state->type.bytes();
    states += bytes;
    if (bytes > largest) largest = bytes, largest_name = use.state->name;
  }
  const StokerDevice described = device_.describe();
  if (states + plan_.arena_bytes <= static_cast<int64_t>(described.memory_free)) return;
  const auto mb = [](auto bytes) {
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
  };
  throw OutOfMemory(
      fmt::format("out of memory: the step needs {} for weights and optimizer state{} and {} for "
                  "activations and "
                  "workspace; {} has {} free of {}.",
                  mb(states),
                  largest > 0 ? fmt::format(" (\"{}\" alone {})", largest_name, mb(largest)) : "",
                  mb(plan_.arena_bytes), device_.name(), mb(described.memory_free),
                  mb(described.memory)),
      states > static_cast<int64_t>(described.memory_free) ? "use smaller layers."
                                                           : "use a smaller batch.");
}

void CompiledStep::allocate(device::Buffer* shared_arena) {
  check_memory();
  int64_t bytes = 0;
  for (const Array& constant : graph_.constants) {
    constant_offsets_.push_back(bytes);
    bytes += (static_cast<int64_t>(constant.bytes()) + 63) / 64 * 64;
  }
  memory_.constants = bytes;
  std::vector<std::byte> packed(static_cast<size_t>(bytes));
  for (size_t i = 0; i < graph_.constants.size(); ++i)
    std::copy_n(graph_.constants[i].raw(), graph_.constants[i].bytes(),
                packed.begin() + constant_offsets_[i]);
  constants_ = device::Buffer(device_, static_cast<uint64_t>(bytes), "a step's constants");
  if (bytes > 0) constants_.upload(packed.data(), packed.size());

  for (const auto& use : graph_.states) {
    states_.push_back(use.state);
    state_buffers_.push_back(memory_of(*use.state).move_to(device_));
    (use.state->trainable ? memory_.parameters : memory_.states) += use.state->type.bytes();
  }
  if (shared_arena && shared_arena->defined() && shared_arena->device() == device_ &&
      shared_arena->bytes() >= static_cast<uint64_t>(plan_.arena_bytes)) {
    arena_ = *shared_arena;
  } else {
    arena_ = device::Buffer(device_, static_cast<uint64_t>(plan_.arena_bytes),
                            "a step's activations and workspace", device::MemoryKind::activations,
                            static_cast<uint64_t>(plan_.arena_bytes - plan_.activation_bytes));
    if (shared_arena) *shared_arena = arena_;
  }
  memory_.activations = plan_.arena_bytes;
  for (graph::ValueId v : graph_.inputs) memory_.inputs += graph_.type(v).bytes();
}

StokerPointer CompiledStep::pointer(graph::ValueId value) const {
  const graph::Place& place = plan_.places[static_cast<size_t>(value)];
  switch (place.kind) {
    case graph::Place::input:
      return {nullptr, static_cast<int32_t>(place.index)};
    case graph::Place::state:
      return {state_buffers_[static_cast<size_t>(place.index)].data(), -1};
    case graph::Place::constant:
      return {static_cast<std::byte*>(constants_.data()) +
                  constant_offsets_[static_cast<size_t>(place.index)],
              -1};
    case graph::Place::arena:
      break;
  }
  return {static_cast<std::byte*>(arena_.data()) + place.index, -1};
}

void CompiledStep::create_program() {
  std::vector<StokerCall> calls;
  std::vector<std::vector<StokerPointer>> pointers(graph_.nodes.size() + plan_.copies.size());
  auto add = [&](size_t slot, void* kernel, void* workspace) {
    calls.push_back(
        {kernel, pointers[slot].data(), static_cast<int32_t>(pointers[slot].size()), workspace});
  };
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const graph::Node& node = graph_.nodes[n];
    if (node.op->view) continue;
    for (graph::ValueId v : node.inputs) pointers[n].push_back(pointer(v));
    for (graph::ValueId v : node.outputs) pointers[n].push_back(pointer(v));
    add(n, kernels_[n].plan.kernel, static_cast<std::byte*>(arena_.data()) + plan_.workspaces[n]);
  }
  for (size_t c = 0; c < plan_.copies.size(); ++c) {
    const auto& copy = plan_.copies[c];
    graph::Graph one;  // a graph of its own just to describe the copy to the backend
    const auto from = one.add_input(graph_.type(copy.from));
    one.add_node(graph::find_op("copy"), {from}, {});
    kernels_.emplace_back(device_, plan_node(device_, one, one.nodes[0]));
    const size_t slot = graph_.nodes.size() + c;
    pointers[slot] = {pointer(copy.from),
                      {state_buffers_[static_cast<size_t>(copy.state)].data(), -1}};
    add(slot, kernels_.back().plan.kernel, nullptr);
  }
  program_ = device_.table().create_program(device_.index, calls.data(),
                                            static_cast<int32_t>(calls.size()));
  if (!program_)
    throw DeviceError(
        fmt::format("{} cannot build the step: {}", device_.name(), device_.table().last_error()));
  last_inputs_.resize(graph_.inputs.size());
}

void CompiledStep::run_steps(const StokerRun& run) {
  for (size_t i = 0; i < last_inputs_.size(); ++i)
    last_inputs_[i] = static_cast<std::byte*>(run.inputs[i]) +
                      (run.strides ? (run.steps - 1) * run.strides[i] : 0);
  device::check(device_, device_.table().run_program(program_, &run), "running a step");
}

const void* CompiledStep::output_data(size_t i) const {
  const StokerPointer at = pointer(graph_.outputs[i]);
  return at.input >= 0 ? last_inputs_[static_cast<size_t>(at.input)] : at.address;
}

Array CompiledStep::output(size_t i) const {
  return device::to_host(output_type(i), device_, output_data(i));
}

bool CompiledStep::is_stale() const {
  for (size_t i = 0; i < states_.size(); ++i)
    if (memory_of(*states_[i]).buffer.data() != state_buffers_[i].data()) return true;
  return false;
}

PinnedStates::PinnedStates(const CompiledStep& step) {
  for (const auto& use : step.graph().states) states_.push_back(use.state);
  for (const auto& state : states_) ++memory_of(*state).pins;
}
PinnedStates::~PinnedStates() {
  for (const auto& state : states_) --memory_of(*state).pins;
}

graph::Cost CompiledStep::cost() const {
  graph::Cost total;
  for (const graph::Node& node : graph_.nodes) {
    const graph::Cost cost = graph_.cost(node);
    total.flops += cost.flops;
    total.bytes += cost.bytes;
  }
  return total;
}

std::string CompiledStep::implementations() const {
  std::string text;
  for (size_t n = 0; n < graph_.nodes.size(); ++n)
    if (kernels_[n].plan.kernel)
      text += fmt::format("{}: {}\n", graph_.nodes[n].op->name, kernels_[n].plan.implementation);
  return text;
}

}  // namespace stoker::exec
