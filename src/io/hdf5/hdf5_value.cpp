#include "io/hdf5/hdf5_value.h"

#include "io/hdf5/hdf5_storage.h"

namespace stoker::h5 {
namespace {

std::string fixed_text(const Blob& data, bool space_padded) {
  std::string_view text = data.text();
  text = text.substr(0, text.find('\0'));
  if (space_padded) text = text.substr(0, text.find_last_not_of(' ') + 1);
  return std::string(text);
}

}  // namespace

H5Value read_value(File& file, GlobalHeap& heap, const Datatype& type, const Dataspace& space,
                   const Blob& data) {
  if (type.kind == Datatype::Kind::number) {
    ByteCursor cursor(data);
    return take_array(cursor, type.element, space.shape);
  }
  file.spend(data.size() / type.size * sizeof(std::string), "texts");
  H5Value value;
  value.shape = space.shape;
  for (size_t at = 0; at + type.size <= data.size(); at += type.size) {
    const Blob element = data.slice(at, type.size);
    value.texts.push_back(type.kind == Datatype::Kind::fixed_text
                              ? fixed_text(element, type.space_padded)
                              : heap.text(element));
  }
  return value;
}

NamedValue read_attribute(File& file, GlobalHeap& heap, const Blob& message) {
  constexpr std::string_view what = "an attribute";
  ByteCursor cursor(message);
  const uint8_t version = cursor.little_endian<uint8_t>(what),
                flags = cursor.little_endian<uint8_t>(what);
  if (version < 1 || version > 3)
    cursor.fail(fmt::format("attribute version {} is not known.", version));
  if (version > 1 && flags != 0)
    cursor.fail("an attribute's type or space is stored in another object.");
  const uint16_t name_size = cursor.little_endian<uint16_t>(what),
                 type_size = cursor.little_endian<uint16_t>(what),
                 space_size = cursor.little_endian<uint16_t>(what);
  if (version == 3) cursor.skip(1, what);  // the name's character set
  const auto padded = [&](size_t size) {
    const Blob part = cursor.take(size, what);
    if (version == 1) cursor.skip((8 - size % 8) % 8, what);
    return part;
  };
  const std::string name = fixed_text(padded(name_size), false);
  const Datatype type = read_datatype(padded(type_size));
  const Dataspace space = read_dataspace(padded(space_size));
  const uint64_t size = byte_count(file, message, space, type.size);
  return {name, read_value(file, heap, type, space, cursor.take(size, what))};
}

}  // namespace stoker::h5
