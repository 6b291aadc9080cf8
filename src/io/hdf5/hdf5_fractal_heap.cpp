#include "io/hdf5/hdf5_fractal_heap.h"

#include <algorithm>

#include "io/byte_cursor.h"

namespace stoker::h5 {
namespace {

constexpr std::string_view what = "a heap of many children";

}  // namespace

uint64_t bytes_for(uint64_t largest) {
  return largest == 0 ? 1 : (static_cast<uint64_t>(std::bit_width(largest)) - 1) / 8 + 1;
}

uint64_t read_sized(ByteCursor& cursor, uint64_t size, std::string_view name) {
  uint64_t value = 0;
  std::memcpy(&value, cursor.take(size, name).data(), size);
  return value;
}

FractalHeap::FractalHeap(File& file, uint64_t address) : file_(file), address_(address) {
  const Blob head = file.checked_block(address, 146, "FRHP", what);
  ByteCursor cursor(head, 7);
  if (cursor.little_endian<uint16_t>(what) != 0) fail("the heap is filtered.");
  cursor.skip(1, what);
  const uint64_t largest_object = cursor.little_endian<uint32_t>(what);
  cursor.skip(96, what);
  width_ = cursor.little_endian<uint16_t>(what);
  first_ = cursor.little_endian<uint64_t>(what);
  largest_direct_ = cursor.little_endian<uint64_t>(what);
  const uint16_t bits = cursor.little_endian<uint16_t>(what);
  cursor.skip(2, what);
  root_ = cursor.little_endian<uint64_t>(what);
  root_rows_ = cursor.little_endian<uint16_t>(what);
  const uint64_t size = file.bytes().size();
  if (!std::has_single_bit(width_) || !std::has_single_bit(first_) ||
      !std::has_single_bit(largest_direct_) || first_ > largest_direct_ || first_ > size ||
      width_ > size || largest_direct_ > uint64_t{1} << 32 || bits > 64 || root_rows_ > 64)
    fail("the heap's sizes are impossible.");
  offset_size_ = (bits + 7u) / 8;
  length_size_ = std::min(bytes_for(largest_direct_), bytes_for(largest_object));
}

void FractalHeap::fail(std::string message) const {
  file_.bytes().fail(std::min<uint64_t>(address_, file_.bytes().size()), std::move(message));
}

Blob FractalHeap::object(const Blob& id) {
  ByteCursor cursor(id);
  if (cursor.little_endian<uint8_t>(what) != 0)
    id.fail(0, "an object too large or too small for a heap.");
  const uint64_t offset = read_sized(cursor, offset_size_, what);
  const uint64_t length = read_sized(cursor, length_size_, what);
  file_.spend(length, "an object of a heap");
  return find(offset, length);
}

Blob FractalHeap::find(uint64_t offset, uint64_t length) {
  if (root_rows_ == 0) return take(root_, first_, offset, length);
  return find_in_table(root_, root_rows_, 0, offset, length);
}

Blob FractalHeap::take(uint64_t block, uint64_t size, uint64_t at, uint64_t length) {
  const auto [found, added] = blocks_.try_emplace(block);
  if (added) found->second = file_.signed_block(block, size, "FHDB", what);
  if (found->second.size() != size || at > size || length > size - at)
    fail(fmt::format("an object of {} bytes at {} in a block of {}.", length, at, size));
  return found->second.slice(at, length);
}

Blob FractalHeap::find_in_table(uint64_t table, uint64_t rows, uint64_t start, uint64_t offset,
                                uint64_t length) {
  const uint64_t prefix = 13 + offset_size_, size = prefix + 8 * width_ * rows + 4;
  const auto [found, added] = blocks_.try_emplace(table);
  if (added) found->second = file_.checked_block(table, size, "FHIB", what);
  if (found->second.size() != size) fail("a heap's table is used with two sizes.");
  for (uint64_t row = 0; row < rows; ++row) {
    const uint64_t block = row_size(row);
    if (offset - start >= width_ * block) {
      start += width_ * block;
      continue;
    }
    const uint64_t column = (offset - start) / block, at = start + column * block;
    const uint64_t child = ByteCursor(found->second, prefix + 8 * (row * width_ + column))
                               .little_endian<uint64_t>(what);
    if (block <= largest_direct_) return take(child, block, offset - at, length);
    const uint64_t child_rows = static_cast<uint64_t>(std::bit_width(block / (first_ * width_)));
    if (child_rows == 0 || child_rows >= rows) break;
    return find_in_table(child, child_rows, at, offset, length);
  }
  fail(fmt::format("no block of a heap holds offset {}.", offset));
}

}  // namespace stoker::h5
