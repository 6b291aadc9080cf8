#pragma once
#include <span>
#include <vector>

#include "data/feed.h"
#include "device/host_rows.h"
#include "ledger/ledger.h"

namespace stoker::data {

// Batches on their way to a device, each in a slot of its own: while the device works on one, the
// next is copied and the one after that is filled.
class StreamSlots {
 public:
  struct Size {
    std::vector<uint64_t> columns;  // bytes of each, at most
    int64_t gathered = 0;           // rows that the device may gather by itself
    int64_t slots = 3;
  };
  // Waiting for the device is booked as its steps'.
  StreamSlots(const device::Device& device, const Size& size, const char* what,
              ledger::Ledger* ledger);
  ~StreamSlots();  // waits for copies that are under way
  StreamSlots(const StreamSlots&) = delete;
  StreamSlots& operator=(const StreamSlots&) = delete;

  // Where to put the columns of the next batch, on the host. Waits until the slot is free.
  std::byte* column(size_t c) const { return slots_[next_].host[c].data(); }
  void begin();
  // Sends `bytes[c]` of each column; they are on the device, at `inputs`, when the ticket is done.
  StokerTicket send(const std::vector<uint64_t>& bytes, std::vector<void*>& inputs);
  // … or to these places, which nobody uses yet.
  StokerTicket send_to(const std::vector<device::Buffer>& places,
                       const std::vector<uint64_t>& bytes, std::vector<void*>& inputs);
  // Instead, the device takes rows with these numbers of the columns by itself.
  StokerTicket gather(const std::vector<device::HostRows>& columns,
                      std::span<const int64_t> numbers, std::vector<void*>& inputs);

 private:
  StokerTicket give(const std::vector<device::Buffer>& at, std::vector<void*>& inputs);
  struct Slot {
    device::PinnedBuffer numbers_host;
    device::Buffer numbers;
    std::vector<device::PinnedBuffer> host;
    std::vector<device::Buffer> on_device;
    StokerTicket sent = 0, read = 0;  // the host's part is free then, and the device's
  };
  device::Device device_;
  ledger::Ledger* ledger_;
  std::vector<Slot> slots_;
  size_t next_ = 0;
  Slot* given_ = nullptr;  // to the step that was run last
};

}  // namespace stoker::data
