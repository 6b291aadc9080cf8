#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

// Stoker's packed file: the elements of a dataset, each found by its number.
//   head          "STOKPACK", version
//   records       each at a multiple of 64 bytes; of each array its dimensions (u64 each) and, at
//                 the next multiple of 16 of the record, its values; of strings instead where each
//                 ends (u64 each), then their bytes
//   description   JSON: the element spec and the notes of whoever wrote it
//   table         of each record its offset and size (u64) and its crc32c
//   end           where description and table lie, and checksums
// All numbers are little-endian. A file is written once, from front to back.
namespace stoker::packed {

inline constexpr std::string_view magic = "STOKPACK";
inline constexpr uint64_t version = 1;
inline constexpr size_t record_alignment = 64, array_alignment = 16;
inline constexpr size_t head_bytes = 16, end_bytes = 64, entry_bytes = 24;

constexpr size_t aligned(size_t offset, size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace stoker::packed
