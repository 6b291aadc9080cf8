#include "exec/compiled_step.h"

#include <fmt/format.h>

#include "device/transfer.h"
#include "exec/host_piece.h"
#include "exec/variable.h"
#include "graph/memory_peak.h"
#include "stoker/device.h"
#include "stoker/human_bytes.h"
#include "stoker/say.h"

namespace stoker::exec {
namespace {

std::string describe_largest(const graph::Graph& graph) {
  const graph::State* largest = nullptr;
  for (const auto& use : graph.states)
    if (!largest || use.state->type.bytes() > largest->type.bytes()) largest = use.state.get();
  if (!largest) return "";
  return fmt::format(" (\"{}\" alone {})", largest->name, human_bytes(largest->type.bytes()));
}

std::string describe_reserve(int64_t reserve) {
  if (reserve == 0) return "";
  return fmt::format(", besides {} for the data and further steps", human_bytes(reserve));
}

}  // namespace

CompiledStep::CompiledStep(StepPlan plan, device::Buffer* shared_arena, int64_t reserve)
    : plan_(std::move(plan)), memory_(plan_.device) {
  check_memory(shared_arena, reserve);
  allocate(shared_arena);
  create_programs();
  if (get_log_device_placement()) say(stderr, implementations());
}

CompiledStep::~CompiledStep() {
  for (const Piece& piece : pieces_)
    if (piece.program) plan_.device.table().release_program(piece.program);
}

// Reports what needs how much memory before any of it is allocated.
void CompiledStep::check_memory(const device::Buffer* shared_arena, int64_t reserve) const {
  const device::FreeMemory free = plan_.device.free_memory();
  const int64_t states = plan_.state_bytes_to_allocate(),
                needed = plan_.bytes_to_allocate(shared_arena);
  if (needed + reserve <= free.largest_piece) return;
  throw OutOfMemory(
      fmt::format("out of memory: the step needs {} for weights and optimizer state{} and {} for "
                  "activations and workspace{}; {} has {}.",
                  human_bytes(states), states > 0 ? describe_largest(plan_.graph) : "",
                  human_bytes(needed - states), describe_reserve(reserve), plan_.device.name(),
                  free.to_string()),
      states > free.largest_piece ? "use smaller layers." : "use a smaller batch.");
}

void CompiledStep::allocate(device::Buffer* shared_arena) {
  const int64_t bytes = plan_.constant_bytes;
  std::vector<std::byte> packed(static_cast<size_t>(bytes));
  for (size_t i = 0; i < plan_.graph.constants.size(); ++i)
    std::copy_n(plan_.graph.constants[i].raw(), plan_.graph.constants[i].bytes(),
                packed.begin() + plan_.constant_offsets[i]);
  constants_ = device::Buffer(plan_.device, static_cast<uint64_t>(bytes), "a step's constants");
  if (bytes > 0) constants_.upload(packed.data(), packed.size());

  for (const auto& use : plan_.graph.states) states_.push_back(use.state);
  place_scalars(states_, plan_.device);
  for (const auto& state : states_)
    state_buffers_.push_back(memory_of(*state).move_to(plan_.device));
  if (plan_.can_use(shared_arena)) {
    arena_ = *shared_arena;
  } else {
    arena_ = device::Buffer(plan_.device, static_cast<uint64_t>(plan_.memory.arena_bytes),
                            "a step's activations and workspace", device::MemoryKind::activations,
                            static_cast<uint64_t>(find_peak(plan_.graph, plan_.memory).workspace));
    if (shared_arena) *shared_arena = arena_;
  }
}

void* CompiledStep::in_arena(int64_t offset) const {
  return static_cast<std::byte*>(arena_.data()) + offset;
}
void* CompiledStep::in_second_buffer(int64_t offset) const {
  return plan_.memory.double_buffer > 0 ? in_arena(plan_.memory.double_buffer + offset) : nullptr;
}

StokerPointer CompiledStep::pointer(graph::ValueId value) const {
  const graph::Place& place = plan_.memory.places[static_cast<size_t>(value)];
  switch (place.kind) {
    case graph::Place::input:
      return {nullptr, static_cast<int32_t>(place.index)};
    case graph::Place::state:
      return {state_buffers_[static_cast<size_t>(place.index)].data(), -1};
    case graph::Place::constant:
      return {static_cast<std::byte*>(constants_.data()) +
                  plan_.constant_offsets[static_cast<size_t>(place.index)],
              -1};
    case graph::Place::arena:
      break;
  }
  return {in_arena(place.index), -1, in_second_buffer(place.index)};
}

void CompiledStep::create_programs() {
  const size_t count = plan_.graph.nodes.size();
  size_t first = 0;
  for (size_t n = 1; n < count; ++n) {
    if (plan_.on_device(n) == plan_.on_device(first) || plan_.graph.nodes[n].op->view) continue;
    pieces_.push_back(create_piece(first, n));
    first = n;
  }
  pieces_.push_back(create_piece(first, count));
  if (pieces_.back().host && !plan_.memory.copies.empty())
    pieces_.push_back(create_piece(count, count));
  last_inputs_.resize(plan_.graph.inputs.size());
  if (plan_.binds_outputs && plan_.graph.nodes.size() > 1)  // no graph is recorded for a single op
    for (size_t i = 0; i < num_outputs(); ++i)
      results_.add(plan_.device, static_cast<uint64_t>(output_type(i).bytes()));
  for (const graph::Node& node : plan_.graph.nodes)
    if (node.op->name == "host_call")
      host_calls_.push_back(reinterpret_cast<StokerHostCall*>(node.attrs.integer("function")));
}

CompiledStep::Piece CompiledStep::create_piece(size_t first, size_t last) {
  if (first == last || plan_.on_device(first)) return {create_program(first, last), nullptr};
  return {nullptr, std::make_unique<HostPiece>(plan_, first, last,
                                               [this](graph::ValueId v) { return pointer(v); })};
}

// A separate graph that only describes the copy to the backend.
void* CompiledStep::plan_copy(const graph::StateCopy& copy) {
  graph::Graph one;
  const auto from = one.add_input(plan_.graph.type(copy.from));
  one.add_node(graph::find_op("copy"), {from}, {});
  copies_.emplace_back(plan_.device, plan_node(plan_.device, one, one.nodes[0]));
  return copies_.back().plan().kernel;
}

// With kernel, memory and arguments; `pointers` must have enough capacity for the arguments.
StokerCall CompiledStep::describe(const graph::Call& call, std::vector<StokerPointer>& pointers) {
  StokerCall described{.second_workspace = in_second_buffer(0)};
  if (call.copy >= 0) {
    const auto& copy = plan_.memory.copies[static_cast<size_t>(call.copy)];
    pointers = {pointer(copy.from), {state_buffers_[static_cast<size_t>(copy.state)].data(), -1}};
    described.kernel = plan_copy(copy);
  } else {
    const auto n = static_cast<size_t>(call.node);
    const graph::Node& node = plan_.graph.nodes[n];
    for (graph::ValueId v : node.inputs) pointers.push_back(pointer(v));
    for (graph::ValueId v : node.outputs) pointers.push_back(pointer(v));
    described.kernel = plan_.kernels[n].plan().kernel;
    described.workspace = in_arena(plan_.memory.workspaces[n]);
    described.second_workspace = in_second_buffer(plan_.memory.workspaces[n]);
  }
  described.arguments = pointers.data();
  described.num_arguments = static_cast<int32_t>(pointers.size());
  return described;
}

std::string CompiledStep::name_of(const graph::Call& call) const {
  if (call.node < 0) return "copy of a state";
  return call_name(plan_.graph.nodes[static_cast<size_t>(call.node)]);
}

void* CompiledStep::create_program(size_t first, size_t last) {
  // Large calls fill a device by themselves: running them concurrently makes them compete for the
  // caches.
  const auto order =
      graph::order_calls(plan_.graph, plan_.memory, first, last, plan_.memory.no_reuse);
  std::vector<StokerCall> calls;
  std::vector<std::vector<StokerPointer>> pointers(order.size());
  std::vector<std::string> names(order.size());
  for (const graph::Call& call : order) {
    std::string& name = names[calls.size()] = name_of(call);
    StokerCall& described = calls.emplace_back(describe(call, pointers[calls.size()]));
    described.name = name.c_str();
    described.node = call.node;
    described.after = call.after.data();
    described.num_after = static_cast<int32_t>(call.after.size());
    described.after_previous = call.after_previous.data();
    described.num_after_previous = static_cast<int32_t>(call.after_previous.size());
  }
  void* program = plan_.device.table().create_program(
      plan_.device.index, calls.data(), static_cast<int32_t>(calls.size()), memory_.allocator());
  if (program) return program;
  memory_.rethrow();
  throw DeviceError(fmt::format("{} cannot build the step: {}", plan_.device.name(),
                                plan_.device.table().last_error()));
}

void CompiledStep::run_program(void* program, const StokerRun& run) {
  const int32_t status = plan_.device.table().run_program(program, &run);
  if (status == 0) return;
  memory_.rethrow();
  device::check(plan_.device, status, "running a step");
}

void CompiledStep::run_steps(const StokerRun& run) {
  for (size_t i = 0; i < last_inputs_.size(); ++i)
    last_inputs_[i] = static_cast<std::byte*>(run.inputs[i]) +
                      (run.strides ? (run.steps - 1) * run.strides[i] : 0);
  if (pieces_.size() > 1 || pieces_[0].host)
    run_in_pieces(run);
  else
    run_program(pieces_[0].program, run);
  for (StokerHostCall* call : host_calls_) call->rethrow(call);
}

void CompiledStep::run_in_pieces(const StokerRun& run) {
  device::wait(plan_.device, run.after);
  std::vector<void*>& inputs = piece_inputs_;
  inputs.assign(run.inputs, run.inputs + last_inputs_.size());
  const StokerRun once{inputs.data(), nullptr, 1};
  for (int64_t step = 0; step < run.steps; ++step) {
    for (const Piece& piece : pieces_)
      if (piece.host)
        piece.host->run(inputs.data());
      else
        run_program(piece.program, once);
    for (size_t i = 0; run.strides && i < inputs.size(); ++i)
      inputs[i] = static_cast<std::byte*>(inputs[i]) + run.strides[i];
  }
}

const void* CompiledStep::output_data(size_t i) const {
  const StokerPointer at = pointer(plan_.graph.outputs[i]);
  return at.input >= 0 ? last_inputs_[static_cast<size_t>(at.input)] : at.address;
}

Array CompiledStep::output(size_t i) const {
  return device::to_host(output_type(i), plan_.device, output_data(i));
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

std::string CompiledStep::implementations() const {
  std::string text;
  for (size_t n = 0; n < plan_.graph.nodes.size(); ++n)
    if (plan_.kernels[n].plan().kernel)
      text +=
          fmt::format("{}: {} on {}{}\n", plan_.graph.nodes[n].op->name,
                      plan_.kernels[n].plan().implementation, plan_.kernels[n].device().name(),
                      plan_.graph.nodes[n].scope.empty() ? "" : ", " + plan_.graph.nodes[n].scope);
  return text;
}

}  // namespace stoker::exec
