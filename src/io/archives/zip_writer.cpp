#include <fmt/format.h>
#include <zlib.h>

#include "io/archives/zip.h"
#include "io/little_endian.h"
#include "stoker/error.h"

namespace stoker {
namespace {

constexpr uint32_t local_magic = 0x04034b50, member_magic = 0x02014b50, end_magic = 0x06054b50;
constexpr uint32_t end64_magic = 0x06064b50, locator64_magic = 0x07064b50;
constexpr uint16_t version = 20, version64 = 45, utf8_names = 1 << 11, zip64_field = 1;
constexpr uint16_t no_time = 0, first_day_of_1980 = 0x21;
constexpr uint32_t elsewhere = 0xffffffff;  // the 64-bit value is in an extra field

std::string extra_field(const std::string& values) {
  if (values.empty()) return {};
  return little_endian(zip64_field, static_cast<uint16_t>(values.size())) + values;
}

}  // namespace

void ZipWriter::add(const std::string& name, const std::vector<std::span<const std::byte>>& parts) {
  if (!is_safe_member_name(name) || !names_.insert(name).second)
    throw InvalidArgument(fmt::format("a zip archive cannot have a member {:?}: its name is {}.",
                                      name, names_.contains(name) ? "taken" : "unsafe"));
  uint64_t size = 0;
  uint32_t crc = 0;
  for (const auto& part : parts) {
    size += part.size();
    crc = static_cast<uint32_t>(
        crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size()));
  }
  const uint64_t header = file_.size();
  const bool large = size >= zip64_from_, far = header >= zip64_from_;
  const std::string sizes = large ? little_endian(size, size) : std::string();
  // The common part of the local header and the directory entry.
  const auto common = [&](const std::string& extra) {
    const uint32_t shown = large ? elsewhere : static_cast<uint32_t>(size);
    return little_endian(large || far ? version64 : version, utf8_names, uint16_t{0}, no_time,
                         first_day_of_1980, crc, shown, shown, static_cast<uint16_t>(name.size()),
                         static_cast<uint16_t>(extra.size()));
  };
  const std::string local = extra_field(sizes);
  file_.write(little_endian(local_magic) + common(local) + name + local);
  for (const auto& part : parts) file_.write(part);
  const std::string extra = extra_field(sizes + (far ? little_endian(header) : std::string()));
  directory_ += little_endian(member_magic, large || far ? version64 : version) + common(extra) +
                little_endian(uint16_t{0}, uint16_t{0}, uint16_t{0}, uint32_t{0},
                              far ? elsewhere : static_cast<uint32_t>(header)) +
                name + extra;
}

void ZipWriter::commit() {
  const uint64_t offset = file_.size(), size = directory_.size(), count = names_.size();
  file_.write(directory_);
  const bool large = offset >= zip64_from_ || size >= zip64_from_ || count >= 0xffff;
  if (large) {
    constexpr uint64_t rest_of_record = 44;
    file_.write(little_endian(end64_magic, rest_of_record, version64, version64, uint32_t{0},
                              uint32_t{0}, count, count, size, offset));
    file_.write(little_endian(locator64_magic, uint32_t{0}, offset + size, uint32_t{1}));
  }
  const auto shown = [&](uint64_t value) {
    return large ? elsewhere : static_cast<uint32_t>(value);
  };
  const auto members = large ? uint16_t{0xffff} : static_cast<uint16_t>(count);
  file_.write(little_endian(end_magic, uint16_t{0}, uint16_t{0}, members, members, shown(size),
                            shown(offset), uint16_t{0}));
  file_.commit();
}

}  // namespace stoker
