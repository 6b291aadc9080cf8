#include "device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "device/memory/memory_account.h"
#include "stoker/error.h"
#include "stoker/human_bytes.h"

namespace stoker::device {

const std::string& Device::name() const { return account->name(); }
bool Device::is_host() const { return account->kind() == "CPU"; }

StokerDevice Device::describe_whole() const {
  StokerDevice described{};
  check(*this, table().describe(index, &described), "describing the device");
  return described;
}

StokerDevice Device::describe() const {
  StokerDevice described = describe_whole();
  account->apply_limit(described);
  return described;
}

FreeMemory Device::free_memory() const {
  const uint64_t all = describe().memory_free;
  return {static_cast<int64_t>(all), static_cast<int64_t>(account->largest_piece(all))};
}

std::string FreeMemory::to_string() const {
  return human_bytes(all) + " free" +
         (largest_piece < all ? fmt::format(", {} of it in one piece", human_bytes(largest_piece))
                              : "");
}

void check(const Device& device, int32_t status, const char* doing) {
  if (status == 0) return;
  std::string why = device.table().last_error();
  if (!why.ends_with('.')) why += '.';
  throw DeviceError(fmt::format("{}: {}: {}", device.name(), doing, why));
}

}  // namespace stoker::device
