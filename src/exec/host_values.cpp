#include "exec/host_values.h"

#include <algorithm>

#include "device/scope.h"
#include "exec/variable.h"

namespace stoker::exec {
namespace {

const std::byte* begin_of(const graph::State& state) {
  return static_cast<const std::byte*>(static_cast<const VariableState&>(state).buffer.data());
}

// Those that have memory on a device, in the order of their addresses.
States on_devices(const States& states) {
  States found;
  for (const auto& state : states)
    if (const device::Buffer& buffer = memory_of(*state).buffer;
        buffer.defined() && !buffer.device().is_host())
      found.push_back(state);
  std::ranges::sort(found, {}, [](const auto& state) { return begin_of(*state); });
  return found;
}

}  // namespace

HostValues::HostValues(const States& states) {
  const States there = on_devices(states);
  for (auto first = there.begin(), last = first; first != there.end(); first = last) {
    last = std::find_if(first, there.end(), [&](const auto& state) {
      return !memory_of(*state).buffer.shares_memory_with(memory_of(**first).buffer);
    });
    fetch({first, last});
  }
  for (size_t i = 0; i < states_.size(); ++i) exchange(i);  // when nothing can fail any more
}

HostValues::HostValues(const States& states, const std::byte* values) {
  for (const auto& state : states) {
    add(state, values);
    values += state->type.bytes();
  }
  for (size_t i = 0; i < states_.size(); ++i) exchange(i);
}

void HostValues::fetch(std::span<const std::shared_ptr<graph::State>> together) {
  const std::byte* const begin = begin_of(*together.front());
  const device::Buffer& last = memory_of(*together.back()).buffer;
  const auto bytes = static_cast<size_t>(begin_of(*together.back()) - begin) + last.bytes();
  const Array values =
      device::to_host({DType::uint8, {static_cast<int64_t>(bytes)}}, last.device(), begin);
  for (const auto& state : together) add(state, values.raw() + (begin_of(*state) - begin));
}

void HostValues::add(const std::shared_ptr<graph::State>& state, const std::byte* value) {
  const auto bytes = static_cast<uint64_t>(state->type.bytes());
  waiting_.emplace_back(device::host_device(), bytes, "a metric").upload(value, bytes);
  states_.push_back(state);
}

// Backwards, as a state may be there twice.
HostValues::~HostValues() {
  for (size_t i = states_.size(); i > 0; --i) exchange(i - 1);
}
void HostValues::exchange(size_t i) noexcept {
  std::swap(static_cast<VariableState&>(*states_[i]).buffer, waiting_[i]);
}

}  // namespace stoker::exec
