#pragma once
#include "exec/state_copies.h"

namespace stoker::exec {

// While it lives, states have their values on the host, where a few numbers are computed with
// sooner than a device is asked to. No step may run meanwhile.
class HostValues {
 public:
  // Those of now. States whose memory lies together come in one copy.
  explicit HostValues(const States& states);
  // Others, which lie one behind the other.
  HostValues(const States& states, const std::byte* values);
  ~HostValues();
  HostValues(const HostValues&) = delete;
  HostValues& operator=(const HostValues&) = delete;

 private:
  void add(const std::shared_ptr<graph::State>& state, device::Buffer value);
  void fetch(std::span<const std::shared_ptr<graph::State>> together);
  void exchange(size_t i) noexcept;
  States states_;
  std::vector<device::Buffer> waiting_;  // what the states have else, while it lives
};

}  // namespace stoker::exec
