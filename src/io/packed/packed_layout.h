#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

// Stoker's packed file: the elements of a dataset, accessible by index.
//   head          "STOKPACK", version
//   records       each at a multiple of 64 bytes: for each array its dimensions (u64 each) and, at
//                 the next multiple of 16 within the record, its values; for an array of strings
//                 instead the end of each (u64 each), then their bytes
//   description   JSON: the element spec and the writer's notes
//   table         for each record its offset and size (u64) and its crc32c
//   end           the offsets of description and table, and checksums
// All numbers are little-endian. A file is written once, from front to back.
namespace stoker::packed {

inline constexpr std::string_view magic = "STOKPACK";
inline constexpr uint64_t version = 1;
inline constexpr size_t record_alignment = 64, array_alignment = 16;
inline constexpr size_t head_bytes = 16, end_bytes = 64, entry_bytes = 24;

}  // namespace stoker::packed
