#include "io/records/text_lines.h"

#include "io/records/record_number.h"

namespace stoker {

bool TextLineReader::next(std::string_view& line) {
  return in_record("line", number_ + 1, [&] { return take(line); });
}

uint64_t TextLineReader::skip(uint64_t lines) {
  uint64_t skipped = 0;
  for (std::string_view line; skipped < lines && next(line);) ++skipped;
  return skipped;
}

bool TextLineReader::take(std::string_view& line) {
  if (ended_) return false;
  ended_ = true;  // unless a line is found: after an error there is none
  std::string_view text = input_.peek(1);
  size_t end = text.find('\n');
  for (size_t searched = text.size(); end == text.npos; searched = text.size()) {
    text = input_.peek(searched + 1);
    if (text.size() == searched) break;
    end = text.find('\n', searched);
  }
  if (text.empty()) return false;
  ended_ = false;
  ++number_;
  line = text.substr(0, end);
  if (end != text.npos && line.ends_with('\r')) line.remove_suffix(1);
  input_.consume(end == text.npos ? text.size() : end + 1);
  return true;
}

}  // namespace stoker
