#include "memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace stoker::emulator {
namespace {

constexpr size_t alignment = 256, guard_bytes = 256;
constexpr unsigned char guard_byte = 0xA5;
constexpr unsigned char poison = 0xFF;  // a NaN as a float, -1 as an integer
// Allocating most of the memory at once must not touch all of it.
constexpr size_t most_poisoned = size_t{256} << 20;

std::mutex lock;
std::map<char*, size_t> allocations;  // start addresses, without guard zones
size_t in_use = 0;

bool intact(const char* zone) {
  return std::all_of(zone, zone + guard_bytes,
                     [](char c) { return static_cast<unsigned char>(c) == guard_byte; });
}

std::string describe(const char* zone, ptrdiff_t from_start, size_t bytes) {
  const auto* first = std::find_if(
      zone, zone + guard_bytes, [](char c) { return static_cast<unsigned char>(c) != guard_byte; });
  return fmt::format("byte {} of an allocation of {} bytes was written",
                     from_start + (first - zone), bytes);
}

std::optional<std::string> damage_of(char* start, size_t bytes) {
  for (const ptrdiff_t zone :
       {-static_cast<ptrdiff_t>(guard_bytes), static_cast<ptrdiff_t>(bytes)}) {
    if (intact(start + zone)) continue;
    const std::string words = describe(start + zone, zone, bytes);
    std::memset(start + zone, guard_byte, guard_bytes);
    return words;
  }
  return std::nullopt;
}

}  // namespace

void* allocate(size_t bytes) {
  const std::lock_guard held(lock);
  if (bytes > total_memory - in_use) return nullptr;
  const size_t whole = (bytes + 2 * guard_bytes + alignment - 1) / alignment * alignment;
  auto* memory = static_cast<char*>(std::aligned_alloc(alignment, whole));
  if (!memory) return nullptr;
  char* start = memory + guard_bytes;
  std::memset(memory, guard_byte, guard_bytes);
  std::memset(start, poison, std::min(bytes, most_poisoned));
  std::memset(start + bytes, guard_byte, guard_bytes);
  allocations[start] = bytes;
  in_use += bytes;
  return start;
}

bool deallocate(void* memory) {
  const std::lock_guard held(lock);
  const auto found = allocations.find(static_cast<char*>(memory));
  if (found == allocations.end()) return false;
  in_use -= found->second;
  std::memset(found->first, poison, std::min(found->second, most_poisoned));
  std::free(found->first - guard_bytes);
  allocations.erase(found);
  return true;
}

bool contains(const void* at, size_t bytes) {
  const std::lock_guard held(lock);
  auto* asked = static_cast<char*>(const_cast<void*>(at));
  auto after = allocations.upper_bound(asked);
  if (after == allocations.begin()) return false;
  const auto& [start, size] = *--after;
  return asked + bytes <= start + size;
}

size_t used_memory() {
  const std::lock_guard held(lock);
  return in_use;
}

std::optional<std::string> damage() {
  const std::lock_guard held(lock);
  std::optional<std::string> first;
  for (const auto& [start, bytes] : allocations)
    if (auto found = damage_of(start, bytes); found && !first) first = std::move(found);
  return first;
}

}  // namespace stoker::emulator
