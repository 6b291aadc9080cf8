#pragma once
#include "exec/state_copies.h"

namespace stoker::exec {

// While it lives, states have their values on the host: for computations on a few numbers, which
// are faster there than on a device. No step may run meanwhile.
class HostValues {
 public:
  // The current values. States in contiguous memory are fetched by one copy.
  explicit HostValues(const States& states);
  // Other values, which are contiguous.
  HostValues(const States& states, const std::byte* values);
  ~HostValues();
  HostValues(const HostValues&) = delete;
  HostValues& operator=(const HostValues&) = delete;

 private:
  void add(const std::shared_ptr<graph::State>& state, device::Buffer value);
  void fetch(std::span<const std::shared_ptr<graph::State>> together);
  void exchange(size_t i) noexcept;
  States states_;
  std::vector<device::Buffer> waiting_;  // the states' own buffers meanwhile
};

}  // namespace stoker::exec
