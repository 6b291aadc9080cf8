#include "exec/variable.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/scope.h"
#include "distribution/slice.h"
#include "graph/autocast.h"
#include "graph/trace.h"
#include "stoker/ops/all_reduce.h"
#include "stoker/ops/elementwise.h"
#include "stoker/variable_factory.h"

namespace stoker {
namespace exec {

const device::Buffer& VariableState::memory() {
  if (buffer.defined()) return buffer;
  return move_to(home ? *home : device::current_device("a variable's first use"));
}

const device::Buffer& VariableState::move_to(const device::Device& device) {
  if (buffer.defined() && buffer.device() == device) return buffer;
  if (pins > 0)
    throw InvalidArgument(
        fmt::format("variable \"{}\" cannot move to {}: a step that is running on {} holds it.",
                    name, device.name(), buffer.device().name()),
        "use the model on one device until fit, evaluate or predict has returned.");
  device::Buffer there(device, static_cast<uint64_t>(type.bytes()), "a variable", kind);
  if (buffer.defined()) {
    there.fill_from(buffer);
  } else {
    const Array first = initial();
    there.upload(first.raw(), first.bytes());
    initial = nullptr;
  }
  return buffer = std::move(there);
}

Array VariableState::value() {
  if (buffer.defined()) return device::to_host(type, buffer.device(), buffer.data());
  const Array kept = initial();
  initial = [kept] { return kept; };
  return kept.clone();
}

// Sorted by size, so that alignment leaves no gaps.
void place_scalars(const std::vector<std::shared_ptr<graph::State>>& states,
                   const device::Device& device) {
  std::vector<VariableState*> scalars;
  uint64_t bytes = 0;
  for (const auto& state : states)
    if (auto& memory = memory_of(*state); !memory.buffer.defined() &&
                                          state->type.shape.rank() == 0 &&
                                          memory.kind == device::MemoryKind::other) {
      scalars.push_back(&memory);
      bytes += static_cast<uint64_t>(state->type.bytes());
    }
  if (scalars.size() < 2) return;
  std::ranges::stable_sort(scalars, std::greater(), [](auto* one) { return one->type.bytes(); });
  const device::Buffer all(device, bytes, "variables");
  uint64_t at = 0;
  for (VariableState* const scalar : scalars) {
    const Array first = scalar->initial();
    all.part(at, first.bytes()).upload(first.raw(), first.bytes());
    scalar->buffer = all.part(at, first.bytes());
    scalar->initial = nullptr;
    at += first.bytes();
  }
}

namespace {

// A state grows by the contribution of this rank's rows: the sum over all ranks is added instead.
Tensor summed_over_ranks(const Variable& variable, const Tensor& value) {
  const Tensor before = variable.read();
  const graph::Node* const add = graph::producer_of(value);
  const bool adds =
      add && add->op->name == "add" && graph::same_value(graph::input_of(value, 0), before);
  return before + ops::all_reduce(adds ? graph::input_of(value, 1) : value - before);
}

}  // namespace
}  // namespace exec

Variable make_variable(const TensorType& type, std::string name, bool trainable,
                       std::function<Array()> initial, VariableUse use) {
  auto state = std::make_shared<exec::VariableState>();
  state->name = std::move(name);
  state->type = type;
  state->trainable = trainable;
  state->initial = std::move(initial);
  state->kind = use == VariableUse::parameter   ? device::MemoryKind::parameters
                : use == VariableUse::optimizer ? device::MemoryKind::optimizer
                                                : device::MemoryKind::other;
  if (const device::Scope* scope = device::Scope::innermost()) state->home = scope->device();
  return Variable(std::move(state));
}

Variable::Variable(const Array& initial, std::string name, bool trainable) {
  *this = make_variable(
      initial.type(), std::move(name), trainable, [initial] { return initial; },
      VariableUse::parameter);
}

const std::string& Variable::name() const { return state_->name; }
const TensorType& Variable::type() const { return state_->type; }
bool Variable::trainable() const { return state_->trainable; }
void Variable::set_trainable(bool trainable) { state_->trainable = trainable; }
Tensor Variable::read() const {
  return graph::autocast(*state_, graph::current_emitter().read(state_));
}
void Variable::assign(const Tensor& value) const {
  const bool sums = state_->sums_over_ranks && distribution::current_slice();
  graph::current_emitter().assign(state_, sums ? exec::summed_over_ranks(*this, value) : value);
}

Array Variable::array() const { return exec::memory_of(*state_).value(); }

void Variable::set(const Array& value) const {
  if (value.shape() != shape())
    throw InvalidArgument(
        fmt::format("variable \"{}\" of shape {} cannot take an array of shape {}.", name(),
                    to_string(shape()), to_string(value.shape())));
  auto& state = exec::memory_of(*state_);
  const Array converted = value.astype(dtype());
  if (!state.buffer.defined()) {
    const Array kept = converted.clone();
    state.initial = [kept] { return kept; };
  } else {
    state.buffer.upload(converted.raw(), converted.bytes());
  }
}

}  // namespace stoker
