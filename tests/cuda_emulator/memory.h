#pragma once
#include <cstddef>
#include <optional>
#include <string>

// The emulated GPU's memory: new memory is poisoned, and allocations have guard zones.
namespace stoker::emulator {

constexpr size_t total_memory = size_t{4} << 30;

void* allocate(size_t bytes);                 // null: not enough
bool deallocate(void* memory);                // false: not the start of an allocation
bool contains(const void* at, size_t bytes);  // inside one allocation
size_t used_memory();

// Reports writes outside of allocations since the last call; repairs the guard zones.
std::optional<std::string> damage();

}  // namespace stoker::emulator
