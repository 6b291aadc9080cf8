#pragma once
#include <span>
#include <vector>

#include "data/feeds/feed.h"
#include "device/host_rows.h"
#include "ledger/ledger.h"

namespace stoker::data {

// Memory for batches that are sent to a device: page-locked on the host, and on the device.
struct StreamSlot {
  struct Size {
    std::vector<uint64_t> columns;  // bytes of each
    int64_t gathered = 0;           // rows that the device may gather directly from the host
    int64_t slots = 3;
  };
  static std::vector<StreamSlot> make(const device::Device& device, const Size& size,
                                      const char* what);

  // Sends `bytes[c]` of each column to these places; they have arrived when the ticket is done.
  StokerTicket send(const std::vector<device::Buffer>& places, const std::vector<uint64_t>& bytes);
  // Instead, the device reads the rows with these indices directly from the columns.
  StokerTicket gather(const std::vector<device::HostRows>& columns,
                      std::span<const int64_t> numbers);

  device::PinnedBuffer numbers_host;
  device::Buffer numbers;
  std::vector<device::PinnedBuffer> host;
  std::vector<device::Buffer> on_device;
  // when they are done, the host's and the device's memory are free
  StokerTicket sent = 0, read = 0;
};

void wait_until_sent(const device::Device& device, const std::vector<StreamSlot>& slots);

// Slots for batches that are filled and sent by the thread that runs the steps: while the device
// works on one, the next is copied and the one after that is filled.
class StreamSlots {
 public:
  // The ledger books waiting for the device as steps.
  StreamSlots(const device::Device& device, const StreamSlot::Size& size, const char* what,
              ledger::Ledger* ledger);
  ~StreamSlots();  // waits for copies in flight
  StreamSlots(const StreamSlots&) = delete;
  StreamSlots& operator=(const StreamSlots&) = delete;

  // Host memory for the columns of the next batch. begin() waits until the slot is free, and makes
  // it large enough for `bytes[c]` of each.
  std::byte* column(size_t c) const { return slots_[next_].host[c].data(); }
  void begin(const std::vector<uint64_t>& bytes);
  // Sends `bytes[c]` of each column; they are on the device, at `inputs`, when the ticket is done.
  StokerTicket send(const std::vector<uint64_t>& bytes, std::vector<void*>& inputs);
  // … or to these buffers, which are not in use.
  StokerTicket send_to(const std::vector<device::Buffer>& places,
                       const std::vector<uint64_t>& bytes, std::vector<void*>& inputs);

 private:
  void grow(size_t column, uint64_t needed);

  device::Device device_;
  const char* what_;
  ledger::Ledger* ledger_;
  std::vector<StreamSlot> slots_;
  size_t next_ = 0;
  StreamSlot* given_ = nullptr;  // used by the latest run
};

}  // namespace stoker::data
