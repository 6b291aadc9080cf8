#include "exec/state_copies.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "device/transfer.h"
#include "exec/variable.h"

namespace stoker::exec {
namespace {

constexpr uint64_t most_at_once = uint64_t{8} << 20;  // bytes

// The device of the first state that has memory, which most likely holds all of them; null if that
// is host memory.
const device::Device* device_of(const States& states) {
  for (const auto& state : states)
    if (const auto& memory = memory_of(*state).buffer; memory.defined())
      return memory.device().is_host() ? nullptr : &memory.device();
  return nullptr;
}

}  // namespace

StateCopies::StateCopies(const States& states) {
  for (const auto& state : states) copies_.push_back({state->type, {}, 0});
  copy_on_device(states);
  for (size_t i = 0; i < states.size(); ++i)
    if (!buffer_.defined() || memory_of(*states[i]).buffer.device() != buffer_.device())
      copies_[i].host = memory_of(*states[i]).value();
}

void StateCopies::copy_on_device(const States& states) {
  const device::Device* device = device_of(states);
  if (!device) return;
  uint64_t bytes = 0;  // without gaps: all of it is copied
  for (Copy& copy : copies_) {
    copy.offset = bytes;
    bytes += static_cast<uint64_t>(copy.type.bytes());
  }
  if (static_cast<int64_t>(bytes) > device->free_memory().largest_piece) return;
  buffer_ = device::Buffer(*device, bytes, "a checkpoint");
  for (size_t i = 0; i < states.size(); ++i) {
    const device::Buffer& from = memory_of(*states[i]).buffer;
    if (!from.defined() || from.device() != *device) continue;
    device::check(*device,
                  device->table().copy(device->index,
                                       static_cast<std::byte*>(buffer_.data()) + copies_[i].offset,
                                       from.data(), from.bytes(), stoker_device_to_device),
                  "copying a state");
  }
  copied_ = device::mark(*device);
}

std::vector<Array> StateCopies::arrays() const {
  std::vector<Array> arrays;
  for (const Copy& copy : copies_)
    arrays.push_back(copy.host.defined() ? copy.host : Array(copy.type.dtype, copy.type.shape));
  if (buffer_.defined()) fetch(arrays);
  return arrays;
}

// Double-buffered: one piece is copied while the previous one is put into the arrays.
void StateCopies::fetch(std::vector<Array>& arrays) const {
  const device::Device& device = buffer_.device();
  const uint64_t piece = std::min(buffer_.bytes(), most_at_once);
  const std::array<device::PinnedBuffer, 2> staging{{{device, piece}, {device, piece}}};
  const auto begin = [&](uint64_t at) {
    if (at >= buffer_.bytes()) return StokerTicket{0};
    return staging[at / piece % 2].download(buffer_, at, std::min(piece, buffer_.bytes() - at),
                                            copied_);
  };
  StokerTicket here = begin(0);
  for (uint64_t at = 0; at < buffer_.bytes(); at += piece) {
    const StokerTicket next = begin(at + piece);
    device::wait(device, std::exchange(here, next));
    put(staging[at / piece % 2].data(), at, std::min(piece, buffer_.bytes() - at), arrays);
  }
}

// Distributes bytes [at, at + bytes) of the buffer to the arrays.
void StateCopies::put(const std::byte* from, uint64_t at, uint64_t bytes,
                      std::vector<Array>& arrays) const {
  for (size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i].host.defined()) continue;
    const uint64_t first = copies_[i].offset, last = first + arrays[i].bytes();
    const uint64_t begin = std::max(first, at), end = std::min(last, at + bytes);
    if (begin < end)
      std::memcpy(arrays[i].mutable_raw() + (begin - first), from + (begin - at), end - begin);
  }
}

}  // namespace stoker::exec
