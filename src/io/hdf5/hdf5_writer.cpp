#include <fmt/format.h>

#include "core/round_up.h"
#include "io/hdf5/hdf5.h"
#include "io/hdf5/hdf5_encode.h"
#include "io/hdf5/hdf5_file.h"
#include "io/hdf5/hdf5_header.h"
#include "io/little_endian.h"
#include "stoker/error.h"

namespace stoker {
namespace h5 {
namespace {

constexpr uint64_t first_array = 64;  // after the superblock of 48 bytes

uint64_t aligned(uint64_t size) { return round_up(size, 8); }

EncodedMessage message(MessageType type, std::string body) {
  return {static_cast<uint8_t>(type), std::move(body)};
}

void check_name(const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != name.npos ||
      name.find('\0') != name.npos)
    throw InvalidArgument(fmt::format("an HDF5 object cannot be named {:?}.", name));
}

// First the arrays, then the strings, then the headers, children before their groups: so every
// address is known when it is written.
class TreeWriter {
 public:
  explicit TreeWriter(const H5Group& root)
      : tail_at_(place_arrays(root, first_array)), texts_(tail_at_) {
    collect(root);
    tail = texts_.finish();
    root_at_ = write_group(root);
  }

  std::string superblock() const {
    std::string out = "\x89HDF\r\n\x1a\n";
    out += little_endian(uint8_t{2}, uint8_t{8}, uint8_t{8}, uint8_t{0}, uint64_t{0}, no_address,
                         tail_at_ + tail.size(), root_at_);
    out += little_endian(checksum(std::as_bytes(std::span(out))));
    out.resize(first_array, '\0');
    return out;
  }

  std::string tail;
  std::vector<Array> arrays;

 private:
  uint64_t place_arrays(const H5Group& group, uint64_t at) {
    for (const auto& [name, dataset] : group.datasets) {
      if (dataset.value.is_text() || dataset.value.numbers.bytes() == 0) continue;
      places_[&dataset] = at;
      arrays.push_back(dataset.value.numbers);
      at += aligned(dataset.value.numbers.bytes());
    }
    for (const auto& [name, child] : group.groups) at = place_arrays(child, at);
    return at;
  }

  void collect(const H5Attributes& attributes) {
    for (const auto& [name, value] : attributes) collect(value);
  }
  void collect(const H5Value& value) {
    if (static_cast<int64_t>(value.texts.size()) != (value.is_text() ? value.shape.size() : 0))
      throw InvalidArgument(
          fmt::format("{} texts for shape {}.", value.texts.size(), to_string(value.shape)));
    for (const std::string& text : value.texts) texts_.add(text);
  }
  void collect(const H5Group& group) {
    collect(group.attributes);
    texts_.add(bfloat16_name);
    for (const auto& [name, dataset] : group.datasets) {
      collect(dataset.value);
      collect(dataset.attributes);
    }
    for (const auto& [name, child] : group.groups) collect(child);
  }

  uint64_t write(const std::string& bytes) {
    const uint64_t at = tail_at_ + tail.size();
    tail += bytes;
    tail.resize(aligned(tail.size()), '\0');
    return at;
  }

  uint64_t write_group(const H5Group& group) {
    constexpr uint8_t group_info = 0xa;
    std::vector<EncodedMessage> messages{
        message(MessageType::link_info, little_endian(uint16_t{0}, no_address, no_address)),
        {group_info, little_endian(uint16_t{0})}};
    for (const auto& [name, child] : group.groups) {
      if (group.datasets.contains(name))
        throw InvalidArgument(fmt::format("\"{}\" is both a group and a dataset.", name));
      messages.push_back(link(name, write_group(child)));
    }
    for (const auto& [name, dataset] : group.datasets)
      messages.push_back(link(name, write_dataset(dataset)));
    add_attributes(messages, group.attributes);
    return write(encode_header(messages));
  }

  static EncodedMessage link(const std::string& name, uint64_t address) {
    constexpr uint8_t version = 1, length_in_2_bytes = 1, charset_given = 1 << 4, utf8 = 1;
    check_name(name);
    return message(MessageType::link,
                   little_endian(version, static_cast<uint8_t>(length_in_2_bytes | charset_given),
                                 utf8, static_cast<uint16_t>(name.size())) +
                       name + little_endian(address));
  }

  uint64_t write_dataset(const H5Dataset& dataset) {
    constexpr uint8_t fill_value = 0x5, layout_version = 3, contiguous = 1;
    const H5Value& value = dataset.value;
    const uint64_t size = value.is_text() ? 16 * value.texts.size() : value.numbers.bytes();
    const uint64_t at = size == 0         ? no_address
                        : value.is_text() ? write(references(value))
                                          : places_.at(&dataset);
    std::vector<EncodedMessage> messages{
        message(MessageType::dataspace, encode_dataspace(value)),
        message(MessageType::datatype, encode_datatype(value)),
        {fill_value, little_endian(uint8_t{3}, uint8_t{0x0a})},  // allocated late, written if set
        message(MessageType::layout, little_endian(layout_version, contiguous, at, size))};
    H5Attributes attributes = dataset.attributes;
    // Without it, Keras would not know the type of the two bytes.
    if (!value.is_text() && value.numbers.dtype() == DType::bfloat16)
      attributes.try_emplace("dtype", bfloat16_name);
    add_attributes(messages, attributes);
    return write(encode_header(messages));
  }

  std::string references(const H5Value& value) const {
    std::string out;
    for (const std::string& text : value.texts) out += texts_.reference(text);
    return out;
  }

  void add_attributes(std::vector<EncodedMessage>& messages, const H5Attributes& attributes) const {
    constexpr uint8_t version = 3, flags = 0, utf8 = 1;
    for (const auto& [name, value] : attributes) {
      const std::string type = encode_datatype(value), space = encode_dataspace(value);
      const std::string data = value.is_text()
                                   ? references(value)
                                   : std::string(reinterpret_cast<const char*>(value.numbers.raw()),
                                                 value.numbers.bytes());
      messages.push_back(
          message(MessageType::attribute,
                  little_endian(version, flags, static_cast<uint16_t>(name.size() + 1),
                                static_cast<uint16_t>(type.size()),
                                static_cast<uint16_t>(space.size()), utf8) +
                      name + '\0' + type + space + data));
    }
  }

  inline static const std::string bfloat16_name = "bfloat16";
  std::map<const H5Dataset*, uint64_t> places_;
  uint64_t tail_at_, root_at_ = no_address;
  TextHeap texts_;
};

}  // namespace
}  // namespace h5

H5Image::H5Image(const H5Group& root) {
  h5::TreeWriter writer(root);
  head_ = writer.superblock();
  tail_ = std::move(writer.tail);
  arrays_ = std::move(writer.arrays);
}

std::vector<std::span<const std::byte>> H5Image::parts() const& {
  static constexpr std::byte padding[8] = {};
  std::vector<std::span<const std::byte>> parts{std::as_bytes(std::span(head_))};
  for (const Array& array : arrays_) {
    parts.emplace_back(array.raw(), array.bytes());
    parts.emplace_back(padding, h5::aligned(array.bytes()) - array.bytes());
  }
  parts.push_back(std::as_bytes(std::span(tail_)));
  return parts;
}

}  // namespace stoker
