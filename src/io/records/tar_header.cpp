#include "io/records/tar_header.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "io/verify_checksums.h"

namespace stoker {
namespace {

constexpr size_t checksum_at = 148, checksum_size = 8;
constexpr uint64_t most = std::numeric_limits<uint64_t>::max() / 4;

std::string_view text_of(std::string_view block, size_t at, size_t size) {
  const std::string_view field = block.substr(at, size);
  return field.substr(0, field.find('\0'));
}

// Octal digits with blanks and zeros; GNU writes large numbers in binary, with the first bit set.
std::optional<uint64_t> number_of(std::string_view field) {
  uint64_t value = 0;
  if (static_cast<uint8_t>(field[0]) == 0x80) {
    for (const char c : field.substr(1)) {
      if (value > most / 256) return std::nullopt;
      value = value * 256 + static_cast<uint8_t>(c);
    }
    return value;
  }
  const size_t begin = field.find_first_not_of(' ');
  if (begin == field.npos) return 0;
  field.remove_prefix(begin);
  field = field.substr(0, field.find_first_of(std::string_view(" \0", 2)));
  if (field.empty()) return 0;
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value, 8);
  if (error != std::errc{} || stop != field.data() + field.size()) return std::nullopt;
  return value;
}

// The sum of all bytes with its own field as blanks. Old programs summed signed bytes.
bool sum_holds(std::string_view block) {
  int64_t plain = 0, with_sign = 0;
  for (size_t i = 0; i < block.size(); ++i) {
    const bool own = i >= checksum_at && i < checksum_at + checksum_size;
    plain += own ? ' ' : static_cast<uint8_t>(block[i]);
    with_sign += own ? ' ' : static_cast<int8_t>(block[i]);
  }
  const auto stored = number_of(block.substr(checksum_at, checksum_size));
  return stored &&
         (static_cast<int64_t>(*stored) == plain || static_cast<int64_t>(*stored) == with_sign);
}

std::string name_in(std::string_view block) {
  const std::string name(text_of(block, 0, 100)), prefix(text_of(block, 345, 155));
  const bool posix = block.substr(257, 6) == std::string_view("ustar\0", 6);
  return posix && !prefix.empty() ? prefix + "/" + name : name;
}

void apply_pax(std::string_view key, std::string_view value, uint64_t offset,
               const BufferedInput& input, TarOverrides& out) {
  if (key == "path") out.name = std::string(value);
  if (key.starts_with("GNU.sparse."))
    input.fail(offset, "a sparse file, whose holes are not stored.",
               "make the archive without --sparse.");
  if (key != "size") return;
  uint64_t size = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), size);
  if (error != std::errc{} || stop != value.data() + value.size() || size > most)
    input.fail(offset, fmt::format("a pax header is damaged: {:?} is not a size.", value));
  out.size = size;
}

}  // namespace

TarHeader parse_tar_header(std::string_view block, uint64_t offset, const BufferedInput& input) {
  if (verify_checksums && !sum_holds(block))
    input.fail(offset,
               "a member's header is damaged: its checksum differs. No later member can be found.",
               offset == 0 ? "is it a tar archive?" : "");
  const auto size = number_of(block.substr(124, 12));
  if (!size || *size > most) input.fail(offset + 124, "a member's size is not a number.");
  return {name_in(block), *size, offset, block[156]};
}

void parse_pax(std::string_view text, uint64_t offset, const BufferedInput& input,
               TarOverrides& out) {
  while (!text.empty()) {
    size_t length = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto digits = static_cast<size_t>(stop - text.data());
    if (error != std::errc{} || length > text.size() || length < digits + 3 ||
        text[digits] != ' ' || text[length - 1] != '\n')
      input.fail(offset, "a pax header is damaged: a line's length is wrong.");
    const std::string_view line = text.substr(digits + 1, length - digits - 2);
    const size_t equals = line.find('=');
    if (equals == line.npos) input.fail(offset, "a pax header is damaged: a line without \"=\".");
    apply_pax(line.substr(0, equals), line.substr(equals + 1), offset, input, out);
    text.remove_prefix(length);
  }
}

}  // namespace stoker
