#include "io/records/tar_reader.h"

#include <utility>

#include "core/round_up.h"
#include "io/records/record_number.h"

namespace stoker {
namespace {

uint64_t padded(uint64_t size) { return round_up(size, tar_block); }

bool all_zero(std::string_view bytes) { return bytes.find_first_not_of('\0') == bytes.npos; }

bool is_regular(char type) { return type == '0' || type == '\0' || type == '7'; }

// Their headers may have a size, but no content follows.
bool has_no_content(char type) { return type >= '1' && type <= '6'; }

bool is_meta(char type) { return type == 'x' || type == 'g' || type == 'L' || type == 'K'; }

}  // namespace

bool TarReader::next(TarMember& member) {
  return in_record("member", number_, [&] { return take(member); });
}

uint64_t TarReader::skip(uint64_t members) {
  uint64_t skipped = 0;
  for (TarMember member; skipped < members && next(member);) ++skipped;
  return skipped;
}

std::string TarReader::place() const {
  return fmt::format("{} (\"{}\"), in member {}", input_.place(last_.offset), last_.name,
                     number_ - 1);
}

bool TarReader::take(TarMember& member) {
  if (ended_) return false;
  ended_ = true;  // unless a member is found: after an error there is none
  pass(std::exchange(unread_, 0));
  for (TarHeader header; read_header(header);) {
    if (is_meta(header.type)) {
      note(header);
      continue;
    }
    if (header.type == 'S')
      input_.fail(header.offset,
                  fmt::format("\"{}\" is a sparse file, whose holes are not stored.", header.name),
                  "make the archive without --sparse.");
    const TarOverrides local = std::exchange(local_, {});
    const uint64_t size = local.size.value_or(global_.size.value_or(header.size));
    if (!is_regular(header.type) || header.name.ends_with('/')) {
      pass(has_no_content(header.type) ? 0 : padded(size));
      continue;
    }
    last_ = {local.name.value_or(global_.name.value_or(header.name)), size, header.offset};
    unread_ = padded(size);
    ended_ = false;
    ++number_;
    member = last_;
    return true;
  }
  return false;
}

// Zero blocks end an archive. Further data, as after joining two archives, is read on.
bool TarReader::read_header(TarHeader& header) {
  for (bool end_seen = false;; end_seen = true) {
    const uint64_t offset = input_.offset();
    const std::string_view block = input_.peek(tar_block).substr(0, tar_block);
    if (block.size() < tar_block) {
      if (end_seen && all_zero(block)) return false;
      input_.fail(offset, "the archive is cut short: it ends without a block of zeros.",
                  "if it is complete, append 1024 bytes of zero.");
    }
    input_.consume(tar_block);
    if (all_zero(block)) continue;
    header = parse_tar_header(block, offset, input_);
    return true;
  }
}

void TarReader::note(const TarHeader& header) {
  const std::string text = read_meta(header);
  if (header.type == 'x') parse_pax(text, header.offset, input_, local_);
  if (header.type == 'g') parse_pax(text, header.offset, input_, global_);
  if (header.type == 'L') local_.name = text.substr(0, text.find('\0'));
}

std::string TarReader::read_meta(const TarHeader& header) {
  constexpr uint64_t plausible = 1 << 20;
  if (header.size > plausible)
    input_.fail(header.offset, fmt::format("a header of {} bytes is not plausible.", header.size));
  const auto size = static_cast<size_t>(header.size);
  std::string text(input_.peek(size).substr(0, size));
  pass(padded(header.size));
  return text;
}

void TarReader::pass(uint64_t bytes) {
  const uint64_t offset = input_.offset(), passed = input_.skip(bytes);
  if (passed < bytes)
    input_.fail(offset, fmt::format("the archive is cut short: {} bytes are needed, {} are left.",
                                    bytes, passed));
}

std::string_view TarReader::content() {
  return in_record("member", number_ - 1, [&] {
    const auto size = static_cast<size_t>(last_.size);
    const bool ended = std::exchange(ended_, true);
    const std::string_view bytes = input_.peek(size).substr(0, size);
    if (bytes.size() < size)
      input_.fail(last_.offset,
                  fmt::format("the archive is cut short: \"{}\" needs {} bytes, {} are left.",
                              last_.name, size, bytes.size()));
    ended_ = ended;
    return bytes;
  });
}

}  // namespace stoker
