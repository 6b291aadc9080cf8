#include "data/feeds/stream_slots.h"

#include <cstring>
#include <optional>

namespace stoker::data {

std::vector<StreamSlot> StreamSlot::make(const device::Device& device, const Size& size,
                                         const char* what) {
  std::vector<StreamSlot> slots(static_cast<size_t>(size.slots));
  const auto numbers = static_cast<uint64_t>(size.gathered) * sizeof(int64_t);
  for (StreamSlot& slot : slots) {
    for (const uint64_t bytes : size.columns) {
      slot.on_device.emplace_back(device, bytes, what, device::MemoryKind::inputs);
      slot.host.emplace_back(device, bytes);
    }
    if (numbers == 0) continue;
    slot.numbers = device::Buffer(device, numbers, what, device::MemoryKind::inputs);
    slot.numbers_host = device::PinnedBuffer(device, numbers);
  }
  return slots;
}

StokerTicket StreamSlot::send(const std::vector<device::Buffer>& places,
                              const std::vector<uint64_t>& bytes) {
  for (size_t c = 0; c < bytes.size(); ++c) sent = host[c].upload(places[c], bytes[c], read);
  return sent;
}

StokerTicket StreamSlot::gather(const std::vector<device::HostRows>& columns,
                                std::span<const int64_t> rows) {
  std::memcpy(numbers_host.data(), rows.data(), rows.size_bytes());
  sent = numbers_host.upload(numbers, rows.size_bytes(), read);
  for (size_t c = 0; c < columns.size(); ++c)
    sent = columns[c].gather(on_device[c], numbers, static_cast<int64_t>(rows.size()), sent);
  return sent;
}

void wait_until_sent(const device::Device& device, const std::vector<StreamSlot>& slots) {
  for (const StreamSlot& slot : slots) try {
      device::wait(device, slot.sent);
    } catch (const Error&) {  // after a failure the device copies nothing
    }
}

StreamSlots::StreamSlots(const device::Device& device, const StreamSlot::Size& size,
                         const char* what, ledger::Ledger* ledger)
    : device_(device), what_(what), ledger_(ledger), slots_(StreamSlot::make(device, size, what)) {}

StreamSlots::~StreamSlots() { wait_until_sent(device_, slots_); }

// When the next batch is requested, the previous one has been submitted: its slot is free after
// that run.
void StreamSlots::begin(const std::vector<uint64_t>& bytes) {
  if (StreamSlot* const used = std::exchange(given_, nullptr)) used->read = device::mark(device_);
  std::optional<ledger::Scope> booked;
  if (ledger_) booked.emplace(*ledger_, ledger::Activity::step);
  const StreamSlot& slot = slots_[next_];
  device::wait(device_, slot.sent);
  for (size_t c = 0; c < bytes.size(); ++c)
    if (bytes[c] > slot.host[c].bytes()) grow(c, bytes[c]);
}

// By a quarter more than is needed, so that slots rarely grow. The old memory is released first,
// when no run reads it any more.
void StreamSlots::grow(size_t column, uint64_t needed) {
  const uint64_t bytes = needed + needed / 4;
  StreamSlot& slot = slots_[next_];
  device::wait(device_, slot.read);
  slot.on_device[column] = {};
  slot.host[column] = {};
  slot.on_device[column] = device::Buffer(device_, bytes, what_, device::MemoryKind::inputs);
  slot.host[column] = device::PinnedBuffer(device_, bytes);
}

StokerTicket StreamSlots::send(const std::vector<uint64_t>& bytes, std::vector<void*>& inputs) {
  return send_to(slots_[next_].on_device, bytes, inputs);
}

StokerTicket StreamSlots::send_to(const std::vector<device::Buffer>& places,
                                  const std::vector<uint64_t>& bytes, std::vector<void*>& inputs) {
  StreamSlot& slot = slots_[next_];
  for (size_t c = 0; c < places.size(); ++c) inputs[c] = places[c].data();
  given_ = &slot;
  next_ = (next_ + 1) % slots_.size();
  return slot.send(places, bytes);
}

}  // namespace stoker::data
