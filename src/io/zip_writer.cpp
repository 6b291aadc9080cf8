#include <fmt/format.h>
#include <zlib.h>

#include <limits>

#include "io/little.h"
#include "io/zip.h"
#include "stoker/error.h"

namespace stoker {
namespace {

uint32_t fits(size_t bytes) {
  if (bytes > std::numeric_limits<uint32_t>::max() - 1)
    throw Unsupported("a zip archive of 4 GiB or more cannot be written.",
                      "save the arrays as .npy files or as safetensors.");
  return static_cast<uint32_t>(bytes);
}

constexpr uint16_t version = 20, utf8_names = 1 << 11, no_time = 0, first_day_of_1980 = 0x21;

}  // namespace

void ZipWriter::add(const std::string& name, const std::vector<std::span<const std::byte>>& parts) {
  if (!is_safe_member_name(name) || !names_.insert(name).second)
    throw InvalidArgument(fmt::format("a zip archive cannot have a member {:?}: its name is {}.",
                                      name, names_.contains(name) ? "taken" : "unsafe"));
  if (names_.size() == 0xffff)
    throw Unsupported("a zip archive of 65535 members cannot be written.");
  size_t total = 0;
  uint32_t crc = 0;
  for (const auto& part : parts) {
    total += part.size();
    crc = static_cast<uint32_t>(
        crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size()));
  }
  const uint32_t header = fits(file_.size()), size = fits(total);
  const auto name_size = static_cast<uint16_t>(name.size());
  // What the local header and the directory's entry have in common.
  const std::string common = little(version, utf8_names, uint16_t{0}, no_time, first_day_of_1980,
                                    crc, size, size, name_size, uint16_t{0});
  file_.write(little(uint32_t{0x04034b50}) + common + name);
  for (const auto& part : parts) file_.write(part);
  directory_ += little(uint32_t{0x02014b50}, version) + common +
                little(uint16_t{0}, uint16_t{0}, uint16_t{0}, uint32_t{0}, header) + name;
}

void ZipWriter::commit() {
  const uint32_t offset = fits(file_.size()), size = fits(directory_.size());
  const auto count = static_cast<uint16_t>(names_.size());
  file_.write(directory_ + little(uint32_t{0x06054b50}, uint16_t{0}, uint16_t{0}, count, count,
                                  size, offset, uint16_t{0}));
  file_.commit();
}

}  // namespace stoker
