#include "exec/host_values.h"

#include <algorithm>

#include "device/scope.h"
#include "exec/variable.h"

namespace stoker::exec {
namespace {

const std::byte* begin_of(const graph::State& state) {
  return static_cast<const std::byte*>(static_cast<const VariableState&>(state).buffer.data());
}

uint64_t bytes_of(const graph::State& state) { return static_cast<uint64_t>(state.type.bytes()); }

// States with device memory, sorted by address.
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
  for (size_t i = 0; i < states_.size(); ++i) exchange(i);  // after everything that can fail
}

HostValues::HostValues(const States& states, const std::byte* values) {
  uint64_t bytes = 0, at = 0;
  for (const auto& state : states) bytes += bytes_of(*state);
  const device::Buffer here(device::host_device(), bytes, "metrics");
  here.upload(values, bytes);
  for (const auto& state : states) {
    add(state, here.part(at, bytes_of(*state)));
    at += bytes_of(*state);
  }
  for (size_t i = 0; i < states_.size(); ++i) exchange(i);
}

void HostValues::fetch(std::span<const std::shared_ptr<graph::State>> together) {
  const std::byte* const begin = begin_of(*together.front());
  const auto place = [&](const auto& state) {
    return static_cast<uint64_t>(begin_of(*state) - begin);
  };
  const uint64_t bytes = place(together.back()) + memory_of(*together.back()).buffer.bytes();
  const device::Buffer here(device::host_device(), bytes, "metrics");
  memory_of(*together.front()).buffer.download(here.data(), bytes);
  for (const auto& state : together) add(state, here.part(place(state), bytes_of(*state)));
}

void HostValues::add(const std::shared_ptr<graph::State>& state, device::Buffer value) {
  waiting_.push_back(std::move(value));
  states_.push_back(state);
}

// In reverse order, as a state may occur twice.
HostValues::~HostValues() {
  for (size_t i = states_.size(); i > 0; --i) exchange(i - 1);
}
void HostValues::exchange(size_t i) noexcept {
  std::swap(static_cast<VariableState&>(*states_[i]).buffer, waiting_[i]);
}

}  // namespace stoker::exec
