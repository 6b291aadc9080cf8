#include "device/memory/memory_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "device/device.h"
#include "stoker/error.h"
#include "stoker/human_bytes.h"

namespace stoker::device {
namespace {

constexpr std::array<const char*, memory_kinds> kind_names = {
    "parameters", "optimizer", "activations", "workspace", "inputs", "other"};

}  // namespace

MemoryParts::MemoryParts(MemoryKind kind, uint64_t all, uint64_t workspace) {
  bytes[static_cast<size_t>(kind)] = static_cast<int64_t>(all - workspace);
  bytes[static_cast<size_t>(MemoryKind::workspace)] += static_cast<int64_t>(workspace);
}

int64_t MemoryParts::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
}

MemoryAccount::MemoryAccount(std::string name, std::string kind, int64_t limit)
    : name_(std::move(name)), kind_(std::move(kind)), limit_(limit) {}

void MemoryAccount::Count::add(int64_t bytes) {
  current += bytes;
  peak = std::max(peak, current);
}

void* MemoryAccount::take(const Device& device, uint64_t bytes, std::string& why) {
  if (limit_ > 0 && total_.current + static_cast<int64_t>(bytes) > limit_) {
    why = fmt::format("its memory_limit is {} MB", limit_ >> 20);
    return nullptr;
  }
  if (reserved_) return reserved_->allocate(bytes);
  void* memory = device.table().allocate(device.index, std::max<uint64_t>(bytes, 1));
  if (!memory) why = device.table().last_error();
  return memory;
}

void* MemoryAccount::allocate(const Device& device, uint64_t bytes, const MemoryParts& parts,
                              std::string& why) {
  const std::lock_guard lock(guard_);
  void* memory = take(device, bytes, why);
  if (!memory) return nullptr;
  total_.add(parts.total());
  for (size_t i = 0; i < memory_kinds; ++i) by_kind_[i].add(parts.bytes[i]);
  return memory;
}

// Without the lock: a device may wait for running work before it releases memory.
void MemoryAccount::deallocate(const Device& device, void* memory, const MemoryParts& parts) {
  if (!give_to_reserved(memory)) device.table().deallocate(device.index, memory);
  const std::lock_guard lock(guard_);
  total_.add(-parts.total());
  for (size_t i = 0; i < memory_kinds; ++i) by_kind_[i].add(-parts.bytes[i]);
}

bool MemoryAccount::give_to_reserved(void* memory) {
  const std::lock_guard lock(guard_);
  if (reserved_) reserved_->deallocate(memory);
  return reserved_ != nullptr;
}

void MemoryAccount::reserve(const Device& device, uint64_t bytes) {
  void* block = device.table().allocate(device.index, bytes);
  if (!block) {
    const std::string why = device.table().last_error();
    const StokerDevice whole = device.describe_whole();
    throw OutOfMemory(
        fmt::format("{} cannot reserve {} bytes: {} of {} bytes are free{}.", name_, bytes,
                    whole.memory_free, whole.memory, why.empty() ? "" : ": " + why),
        "set a smaller memory_limit, or let the memory grow: set_memory_growth(device, true).");
  }
  const std::lock_guard lock(guard_);
  reserved_ = std::make_unique<ReservedMemory>(block, bytes);
}

void MemoryAccount::give_back(const Device& device) {
  const std::lock_guard lock(guard_);
  if (reserved_) device.table().deallocate(device.index, reserved_->block());
  reserved_.reset();
}

void MemoryAccount::apply_limit(StokerDevice& described) const {
  const std::lock_guard lock(guard_);
  if (reserved_) {
    described.memory = reserved_->bytes();
    described.memory_free = reserved_->free();
  }
  if (limit_ == 0) return;
  const auto limit = static_cast<uint64_t>(limit_);
  described.memory = std::min(described.memory, limit);
  described.memory_free =
      std::min(described.memory_free, limit - static_cast<uint64_t>(total_.current));
}

uint64_t MemoryAccount::largest_piece(uint64_t free) const {
  const std::lock_guard lock(guard_);
  return reserved_ ? std::min(free, reserved_->largest_gap()) : free;
}

std::string MemoryAccount::holdings() const {
  std::string text;
  for (const auto& category : info().categories)
    if (category.current > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", category.name,
                          human_bytes(category.current));
  return text.empty() ? "nothing" : text;
}

MemoryInfo MemoryAccount::info() const {
  const std::lock_guard lock(guard_);
  MemoryInfo info{total_.current, total_.peak, limit_, {}};
  for (size_t i = 0; i < memory_kinds; ++i)
    info.categories.push_back({kind_names[i], by_kind_[i].current, by_kind_[i].peak});
  return info;
}

void MemoryAccount::reset_peaks() {
  const std::lock_guard lock(guard_);
  total_.peak = total_.current;
  for (Count& count : by_kind_) count.peak = count.current;
}

}  // namespace stoker::device
