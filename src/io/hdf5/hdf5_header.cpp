#include "io/hdf5/hdf5_header.h"

#include "io/byte_cursor.h"

namespace stoker::h5 {
namespace {

constexpr std::string_view what = "an object's header";

bool is_known(uint16_t type) { return type <= 0x17; }

bool is_read(MessageType type) {
  using enum MessageType;
  switch (type) {
    case dataspace:
    case link_info:
    case datatype:
    case link:
    case external_files:
    case layout:
    case filters:
    case attribute:
    case continuation:
    case symbol_table:
    case attribute_info:
      return true;
  }
  return false;
}

}  // namespace

ObjectHeader::ObjectHeader(File& file, uint64_t address) {
  file.enter(address, "an object");
  start_ = file.block(address, 4, what);
  if (start_.text().starts_with("OHDR"))
    read_version_2(file, address);
  else
    read_version_1(file, address);
}

void ObjectHeader::read_version_1(File& file, uint64_t address) {
  const Blob prefix = file.block(address, 16, what);
  ByteCursor cursor(prefix);
  const uint8_t version = cursor.little_endian<uint8_t>(what);
  if (version != 1) start_.fail(0, fmt::format("object header version {} is not known.", version));
  cursor.skip(7, what);
  std::vector<Chunk> chunks{{address + 16, cursor.little_endian<uint32_t>(what)}};
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (i > 0) file.enter(chunks[i].address, "a header's continuation");
    read_messages(file.block(chunks[i].address, chunks[i].size, what), chunks);
  }
}

void ObjectHeader::read_version_2(File& file, uint64_t address) {
  constexpr uint8_t ordered = 1 << 2, phase_change = 1 << 4, times = 1 << 5;
  old_ = false;
  const Blob fixed = file.block(address, 6, what);
  ByteCursor cursor(fixed, 4);
  const uint8_t version = cursor.little_endian<uint8_t>(what),
                flags = cursor.little_endian<uint8_t>(what);
  if (version != 2) start_.fail(4, fmt::format("object header version {} is not known.", version));
  ordered_ = flags & ordered;
  const size_t skipped = (flags & times ? 16 : 0) + (flags & phase_change ? 4 : 0),
               width = size_t{1} << (flags & 3), prefix = 6 + skipped + width;
  const Blob head = file.block(address, prefix, what);
  uint64_t size = 0;
  std::memcpy(&size, head.data() + 6 + skipped, width);
  if (size > file.bytes().size()) head.fail(6, fmt::format("a header of {} bytes.", size));
  const Blob first = file.checked_block(address, prefix + size + 4, "OHDR", what);
  std::vector<Chunk> chunks{{}};
  read_messages(first.slice(prefix, size), chunks);
  for (size_t i = 1; i < chunks.size(); ++i) {
    file.enter(chunks[i].address, "a header's continuation");
    if (chunks[i].size < 8) start_.fail(0, "a header's continuation is too short.");
    const Blob chunk = file.checked_block(chunks[i].address, chunks[i].size, "OCHK", what);
    read_messages(chunk.slice(4, chunk.size() - 8), chunks);
  }
}

void ObjectHeader::read_messages(const Blob& chunk, std::vector<Chunk>& chunks) {
  const size_t smallest = old_ ? 8 : ordered_ ? 6 : 4;  // the rest may be a gap
  for (ByteCursor cursor(chunk); cursor.remaining() >= smallest;) {
    const uint16_t type =
        old_ ? cursor.little_endian<uint16_t>(what) : cursor.little_endian<uint8_t>(what);
    const uint16_t size = cursor.little_endian<uint16_t>(what);
    const uint8_t flags = cursor.little_endian<uint8_t>(what);
    cursor.skip(old_ ? 3 : ordered_ ? 2 : 0, what);
    add(type, flags, cursor.take(size, "a header's message"), chunks);
  }
}

void ObjectHeader::add(uint16_t type, uint8_t flags, Blob body, std::vector<Chunk>& chunks) {
  constexpr uint8_t shared = 1 << 1, must_know = 1 << 7;
  const auto known = static_cast<MessageType>(type);
  if (!is_known(type) && flags & must_know)
    body.fail(0, fmt::format("message type {} is unknown, but marked as required.", type));
  if (!is_read(known)) return;
  if (flags & shared)
    body.fail(0,
              "a type or space stored in another object (a committed datatype) is not supported.");
  if (known != MessageType::continuation) {
    messages_.push_back({known, std::move(body)});
    return;
  }
  ByteCursor cursor(body);
  const auto address = cursor.little_endian<uint64_t>(what);
  chunks.push_back({address, cursor.little_endian<uint64_t>(what)});
}

const Blob* ObjectHeader::find(MessageType type) const {
  for (const Message& message : messages_)
    if (message.type == type) return &message.body;
  return nullptr;
}

const Blob& ObjectHeader::get(MessageType type, std::string_view name) const {
  if (const Blob* body = find(type)) return *body;
  start_.fail(0, fmt::format("an object has no {}.", name));
}

}  // namespace stoker::h5
