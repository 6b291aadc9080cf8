#include "io/hdf5/hdf5_heap.h"

#include <algorithm>

#include "io/byte_cursor.h"

namespace stoker::h5 {

LocalHeap::LocalHeap(File& file, uint64_t address) {
  constexpr std::string_view what = "a group's heap";
  const Blob head = file.signed_block(address, 32, "HEAP", what);
  ByteCursor cursor(head, 8);
  const auto size = cursor.little_endian<uint64_t>(what);
  cursor.skip(8, what);
  data_ = file.block(cursor.little_endian<uint64_t>(what), size, what);
}

std::string LocalHeap::name(uint64_t offset) const {
  const std::string_view text = data_.text();
  const size_t end = offset < text.size() ? text.find('\0', offset) : text.npos;
  if (end == text.npos)
    data_.fail(0,
               fmt::format("no name ends behind {} in a heap of {} bytes.", offset, text.size()));
  return std::string(text.substr(offset, end - offset));
}

const GlobalHeap::Collection& GlobalHeap::collection(uint64_t address) {
  constexpr std::string_view what = "a collection of texts";
  const auto [found, added] = collections_.try_emplace(address);
  if (!added) return found->second;
  const Blob head = file_.signed_block(address, 16, "GCOL", what);
  const uint64_t size = ByteCursor(head, 8).little_endian<uint64_t>(what);
  const Blob all = file_.block(address, std::max<uint64_t>(size, 16), what);
  for (ByteCursor cursor(all, 16); cursor.remaining() >= 16;) {
    const uint16_t index = cursor.little_endian<uint16_t>(what);
    if (index == 0) break;  // the free space at the end
    cursor.skip(6, what);
    const auto length = cursor.little_endian<uint64_t>(what);
    found->second[index] = cursor.take(length, what);
    cursor.skip(std::min<size_t>((8 - length % 8) % 8, cursor.remaining()), what);
  }
  return found->second;
}

std::string GlobalHeap::text(const Blob& reference) {
  constexpr std::string_view what = "a text's place";
  ByteCursor cursor(reference);
  const auto length = cursor.little_endian<uint32_t>(what);
  const auto address = cursor.little_endian<uint64_t>(what);
  const auto index = cursor.little_endian<uint32_t>(what);
  if (length == 0) return {};
  const Collection& all = collection(address);
  const auto found = index <= 0xffff ? all.find(static_cast<uint16_t>(index)) : all.end();
  if (found == all.end() || length > found->second.size())
    reference.fail(0, fmt::format("text {} of {} bytes is not in the collection at {}.", index,
                                  length, address));
  file_.spend(length, "a text");
  const std::string_view text = found->second.text().substr(0, length);
  return std::string(text.substr(0, text.find('\0')));
}

}  // namespace stoker::h5
