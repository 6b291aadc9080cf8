#include "data/stream_slots.h"

#include <cstring>
#include <optional>

namespace stoker::data {

StreamSlots::StreamSlots(const device::Device& device, const Size& size, const char* what,
                         ledger::Ledger* ledger)
    : device_(device), ledger_(ledger), slots_(static_cast<size_t>(size.slots)) {
  const auto numbers = static_cast<uint64_t>(size.gathered) * sizeof(int64_t);
  for (Slot& slot : slots_) {
    for (const uint64_t bytes : size.columns) {
      slot.on_device.emplace_back(device, bytes, what, device::MemoryKind::inputs);
      slot.host.emplace_back(device, bytes);
    }
    if (numbers == 0) continue;
    slot.numbers = device::Buffer(device, numbers, what, device::MemoryKind::inputs);
    slot.numbers_host = device::PinnedBuffer(device, numbers);
  }
}

StreamSlots::~StreamSlots() {
  for (const Slot& slot : slots_) try {
      device::wait(device_, slot.sent);
    } catch (const Error&) {  // a device that failed copies nothing any more
    }
}

// Whoever asks for the next batch has run the one before: its slot is free after that.
void StreamSlots::begin() {
  if (Slot* const used = std::exchange(given_, nullptr)) used->read = device::mark(device_);
  std::optional<ledger::Scope> booked;
  if (ledger_) booked.emplace(*ledger_, ledger::Activity::step);
  device::wait(device_, slots_[next_].sent);
}

StokerTicket StreamSlots::send(const std::vector<uint64_t>& bytes, std::vector<void*>& inputs) {
  return send_to(slots_[next_].on_device, bytes, inputs);
}

StokerTicket StreamSlots::send_to(const std::vector<device::Buffer>& places,
                                  const std::vector<uint64_t>& bytes, std::vector<void*>& inputs) {
  Slot& slot = slots_[next_];
  for (size_t c = 0; c < bytes.size(); ++c)
    slot.sent = slot.host[c].upload(places[c], bytes[c], slot.read);
  return give(places, inputs);
}

StokerTicket StreamSlots::gather(const std::vector<device::HostRows>& columns,
                                 std::span<const int64_t> numbers, std::vector<void*>& inputs) {
  Slot& slot = slots_[next_];
  std::memcpy(slot.numbers_host.data(), numbers.data(), numbers.size_bytes());
  slot.sent = slot.numbers_host.upload(slot.numbers, numbers.size_bytes(), slot.read);
  for (size_t c = 0; c < columns.size(); ++c)
    slot.sent = columns[c].gather(slot.on_device[c], slot.numbers,
                                  static_cast<int64_t>(numbers.size()), slot.sent);
  return give(slot.on_device, inputs);
}

StokerTicket StreamSlots::give(const std::vector<device::Buffer>& at, std::vector<void*>& inputs) {
  Slot& slot = slots_[next_];
  for (size_t c = 0; c < at.size(); ++c) inputs[c] = at[c].data();
  given_ = &slot;
  next_ = (next_ + 1) % slots_.size();
  return slot.sent;
}

}  // namespace stoker::data
