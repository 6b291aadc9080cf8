#include "io/text/csv_scanner.h"

namespace stoker {

CsvScanner::CsvScanner(std::string_view text, std::string name, char delimiter)
    : CsvScanner(text, std::move(name), delimiter, 0, true) {}

CsvScanner::CsvScanner(std::string_view text, std::string name, char delimiter, size_t lines_before,
                       bool whole, bool quotes)
    : text_(text),
      name_(std::move(name)),
      delimiter_(delimiter),
      lines_before_(lines_before),
      whole_(whole),
      quotes_(quotes) {
  // A byte order mark, as spreadsheets write it.
  if (lines_before == 0 && text_.starts_with("\xef\xbb\xbf")) at_ = 3;
}

TextPlace CsvScanner::place(size_t offset) const {
  TextPlace place = place_of(text_, offset);
  place.line += lines_before_;
  return place;
}

bool CsvScanner::accept_newline() {
  const std::string_view rest = text_.substr(at_);
  const size_t length = rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') ? 1 : 0;
  at_ += length;
  return length > 0;
}

bool CsvScanner::next_row(std::vector<CsvField>& row) {
  row.clear();
  while (accept_newline()) {
  }
  const size_t begin = at_;
  if (at_ == text_.size()) return false;
  if (scan_row(row)) return true;
  at_ = begin;
  return false;
}

bool CsvScanner::scan_row(std::vector<CsvField>& row) {
  for (;;) {
    CsvField next;
    if (at_ == text_.size() || !quotes_ || text_[at_] != '"')
      next = field();
    else if (!quoted_field(next))
      return false;
    row.push_back(next);
    if (at_ == text_.size()) return whole_;
    if (accept_newline()) return true;
    if (text_[at_] != delimiter_ && !refuse_rest()) return false;
    ++at_;
  }
}

// False: the end of the erroneous row is not visible.
bool CsvScanner::refuse_rest() {
  const size_t wrong = at_, newline = text_.find('\n', at_);
  if (newline == text_.npos && !whole_) return false;
  at_ = newline == text_.npos ? text_.size() : newline;
  fail(wrong, "a quoted field must end at its closing quote.");
}

CsvField CsvScanner::field() {
  const size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != delimiter_ && text_[at_] != '\n') ++at_;
  // The \r of a line's end is not part of the field.
  if (at_ < text_.size() && text_[at_] == '\n' && at_ > begin && text_[at_ - 1] == '\r') --at_;
  return {text_.substr(begin, at_ - begin), begin, false};
}

// False: its end is not visible.
bool CsvScanner::quoted_field(CsvField& field) {
  const size_t quote = at_++;
  for (;;) {
    at_ = std::min(text_.find('"', at_), text_.size());
    if (at_ == text_.size() && !whole_) return false;
    if (at_ == text_.size()) fail(quote, "the quote that opens here is never closed.");
    if (!text_.substr(at_ + 1).starts_with('"')) break;
    at_ += 2;
  }
  field = {text_.substr(quote + 1, at_ - quote - 1), quote, true};
  ++at_;
  return true;
}

}  // namespace stoker
