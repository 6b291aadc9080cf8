#include "exec/variable.h"

#include <fmt/format.h>

#include "graph/emit.h"
#include "stoker/variable_factory.h"

namespace stoker {
namespace exec {

const device::Buffer& VariableState::memory() {
  if (!buffer.defined()) {
    const Array value = initial();
    buffer =
        device::Buffer(device::default_device(), static_cast<uint64_t>(type.bytes()), "a variable");
    buffer.upload(value.raw(), value.bytes());
    initial = nullptr;
  }
  return buffer;
}

VariableState& memory_of(graph::State& state) { return dynamic_cast<VariableState&>(state); }

}  // namespace exec

Variable make_variable(const TensorType& type, std::string name, bool trainable,
                       std::function<Array()> initial) {
  auto state = std::make_shared<exec::VariableState>();
  state->name = std::move(name);
  state->type = type;
  state->trainable = trainable;
  state->initial = std::move(initial);
  return Variable(std::move(state));
}

Variable::Variable(const Array& initial, std::string name, bool trainable) {
  *this = make_variable(initial.type(), std::move(name), trainable, [initial] { return initial; });
}

const std::string& Variable::name() const { return state_->name; }
const TensorType& Variable::type() const { return state_->type; }
bool Variable::trainable() const { return state_->trainable; }
void Variable::set_trainable(bool trainable) { state_->trainable = trainable; }
Tensor Variable::read() const { return graph::current_emitter().read(state_); }
void Variable::assign(const Tensor& value) const { graph::current_emitter().assign(state_, value); }

Array Variable::array() const {
  const auto& memory = exec::memory_of(*state_).memory();
  return device::to_host(type(), memory.device(), memory.data());
}

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
