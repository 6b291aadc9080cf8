#include "io/csv_scanner.h"

namespace stoker {

CsvScanner::CsvScanner(std::string_view text, const std::string& name, char delimiter)
    : text_(text), name_(name), delimiter_(delimiter) {
  if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // a byte order mark, as spreadsheets write it
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
  if (at_ == text_.size()) return false;
  for (;;) {
    row.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted_field() : field());
    if (at_ == text_.size() || accept_newline()) return true;
    if (text_[at_] != delimiter_) fail(at_, "a quoted field must end at its closing quote.");
    ++at_;
  }
}

CsvField CsvScanner::field() {
  const size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != delimiter_ && text_[at_] != '\n') ++at_;
  // The \r of a line's end is no part of the field.
  if (at_ < text_.size() && text_[at_] == '\n' && at_ > begin && text_[at_ - 1] == '\r') --at_;
  return {text_.substr(begin, at_ - begin), begin};
}

CsvField CsvScanner::quoted_field() {
  const size_t quote = at_++;
  for (;;) {
    at_ = text_.find('"', at_);
    if (at_ == text_.npos) fail(quote, "the quote that opens here is never closed.");
    if (text_.substr(at_ + 1).starts_with('"'))
      at_ += 2;
    else
      break;
  }
  return {text_.substr(quote + 1, at_++ - quote - 1), quote};
}

}  // namespace stoker
