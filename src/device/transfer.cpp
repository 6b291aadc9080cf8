#include "device/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "ledger/ledger.h"
#include "stoker/error.h"

namespace stoker::device {
namespace {

std::shared_ptr<void> take(const Device& device, uint64_t bytes) {
  const StokerBackend& table = device.table();
  if (!table.allocate_pinned) return {std::malloc(bytes), std::free};
  return {table.allocate_pinned(device.index, bytes),
          [device](void* memory) { device.table().deallocate_pinned(device.index, memory); }};
}

StokerTicket copy_async(const Device& device, void* to, const void* from, uint64_t bytes,
                        StokerCopyKind kind, StokerTicket after) {
  StokerTicket ticket = 0;
  check(device, device.table().copy_async(device.index, to, from, bytes, kind, after, &ticket),
        kind == stoker_host_to_device ? "copying to the device" : "copying to the host");
  return ticket;
}

}  // namespace

PinnedBuffer::PinnedBuffer(const Device& device, uint64_t bytes)
    : bytes_(bytes), memory_(take(device, std::max<uint64_t>(bytes, 1))) {
  if (!memory_)
    throw OutOfMemory(fmt::format("cannot allocate {} bytes of page-locked host memory for {}: {}",
                                  bytes, device.name(), device.table().last_error()),
                      "use a smaller batch, or raise the limit of locked memory (ulimit -l).");
}

StokerTicket PinnedBuffer::upload(const Buffer& to, uint64_t bytes, StokerTicket after) const {
  const Device& device = to.device();
  if (!device.table().copy_async) {
    to.upload(data(), bytes);
    return 0;
  }
  return copy_async(device, to.data(), data(), bytes, stoker_host_to_device, after);
}

StokerTicket PinnedBuffer::download(const Buffer& from, uint64_t offset, uint64_t bytes,
                                    StokerTicket after) const {
  const Device& device = from.device();
  const auto* source = static_cast<const std::byte*>(from.data()) + offset;
  if (device.table().copy_async)
    return copy_async(device, data(), source, bytes, stoker_device_to_host, after);
  check(device, device.table().copy(device.index, data(), source, bytes, stoker_device_to_host),
        "copying to the host");
  return 0;
}

StokerTicket mark(const Device& device) {
  StokerTicket ticket = 0;
  if (device.table().mark)
    check(device, device.table().mark(device.index, &ticket), "marking the end of a step");
  return ticket;
}

void wait(const Device& device, StokerTicket ticket) {
  if (ticket != 0)
    check(device, device.table().wait(device.index, ticket), "waiting for the device");
}

// An idle GPU needs some microseconds to complete an event: poll for a short time.
bool is_busy(const Device& device) {
  constexpr ledger::Time passes_a_mark = 20'000;
  if (!device.table().is_done) return false;
  const StokerTicket end = mark(device);
  const ledger::Time begin = ledger::steady_clock();
  int32_t done = 0;
  do {
    check(device, device.table().is_done(device.index, end, &done), "asking the device");
  } while (!done && ledger::steady_clock() - begin < passes_a_mark);
  return !done;
}

int64_t elapsed_nanoseconds(const Device& device, StokerTicket from, StokerTicket to) {
  const StokerBackend& table = device.table();
  if (!table.elapsed)
    throw Unsupported(
        fmt::format("{} cannot tell the time between two tickets: backend \"{}\" has "
                    "none, nor pinned memory.",
                    device.name(), table.name));
  int64_t nanoseconds = 0;
  check(device, table.elapsed(device.index, from, to, &nanoseconds), "reading the device's clock");
  return nanoseconds;
}

}  // namespace stoker::device
