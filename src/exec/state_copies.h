#pragma once
#include <memory>
#include <vector>

#include "device/memory/buffer.h"
#include "graph/graph.h"

namespace stoker::exec {

using States = std::vector<std::shared_ptr<graph::State>>;

// The values that states have now, in the order given. On a device with memory of its own they are
// first copied there, if it has room, so that the caller need not wait until the host has them.
// From there they come over beside the steps that run meanwhile.
class StateCopies {
 public:
  explicit StateCopies(const States& states);
  bool on_host() const { return !buffer_.defined(); }
  // On the host; may be called in another thread while steps run, and waits for none of them.
  std::vector<Array> arrays() const;

 private:
  struct Copy {
    TensorType type;
    Array host;       // undefined: it is in the buffer
    uint64_t offset;  // there
  };
  void copy_on_device(const States& states);
  void fetch(std::vector<Array>& arrays) const;  // those in the buffer
  void put(const std::byte* from, uint64_t at, uint64_t bytes, std::vector<Array>& arrays) const;
  std::vector<Copy> copies_;
  device::Buffer buffer_;
  StokerTicket copied_ = 0;  // they are in the buffer then
};

}  // namespace stoker::exec
