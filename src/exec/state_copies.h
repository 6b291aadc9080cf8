#pragma once
#include <memory>
#include <vector>

#include "device/memory/buffer.h"
#include "graph/graph.h"

namespace stoker::exec {

using States = std::vector<std::shared_ptr<graph::State>>;

// A snapshot of the states' values, in the order given. On a device with its own memory they are
// first copied on the device, if there is enough memory, so that the caller need not wait for the
// host; from there they are copied to the host concurrently with later steps.
class StateCopies {
 public:
  explicit StateCopies(const States& states);
  bool on_host() const { return !buffer_.defined(); }
  // On the host. May be called by another thread while steps run; waits for none of them.
  std::vector<Array> arrays() const;

 private:
  struct Copy {
    TensorType type;
    Array host;       // undefined: it is in the buffer
    uint64_t offset;  // in the buffer
  };
  void copy_on_device(const States& states);
  void fetch(std::vector<Array>& arrays) const;  // from the buffer
  void put(const std::byte* from, uint64_t at, uint64_t bytes, std::vector<Array>& arrays) const;
  std::vector<Copy> copies_;
  device::Buffer buffer_;
  StokerTicket copied_ = 0;  // done when they are in the buffer
};

}  // namespace stoker::exec
