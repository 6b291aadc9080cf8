#include "data/stream_slots.h"

#include <optional>

namespace stoker::data {

StreamSlots::StreamSlots(const device::Device& device, const std::vector<uint64_t>& bytes,
                         int64_t slots, const char* what, ledger::Ledger* ledger)
    : device_(device), ledger_(ledger), slots_(static_cast<size_t>(slots)) {
  for (Slot& slot : slots_)
    for (const uint64_t size : bytes) {
      slot.on_device.emplace_back(device, size, what, device::MemoryKind::inputs);
      slot.host.emplace_back(device, size);
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
  Slot& slot = slots_[next_];
  for (size_t c = 0; c < bytes.size(); ++c) {
    slot.sent = slot.host[c].upload(slot.on_device[c], bytes[c], slot.read);
    inputs[c] = slot.on_device[c].data();
  }
  given_ = &slot;
  next_ = (next_ + 1) % slots_.size();
  return slot.sent;
}

}  // namespace stoker::data
