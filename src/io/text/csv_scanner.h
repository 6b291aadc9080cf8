#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "io/text/text_place.h"

namespace stoker {

struct CsvField {
  std::string_view text;  // without its quotes; doubled quotes inside are still doubled
  size_t offset = 0;
  bool quoted = false;
};

// Splits text into rows by RFC 4180; lines end with \n or \r\n, empty lines are
// skipped.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, std::string name, char delimiter);
  // A part of a longer text, starting with a row. `lines_before`: lines before it; `whole`: nothing
  // follows; `quotes`: they enclose fields, else they are characters like others.
  CsvScanner(std::string_view text, std::string name, char delimiter, size_t lines_before,
             bool whole, bool quotes = true);

  // False: no row is left; in a part: none whose end is visible. After an error the next row can be
  // read.
  bool next_row(std::vector<CsvField>& row);
  size_t offset() const { return at_; }  // where the next row begins
  TextPlace place(size_t offset) const;
  [[noreturn]] void fail(size_t offset, std::string message, std::string hint = {}) const {
    fail_at(name_, place(offset), std::move(message), std::move(hint));
  }

 private:
  bool scan_row(std::vector<CsvField>& row);
  CsvField field();
  bool quoted_field(CsvField& field);
  bool accept_newline();
  bool refuse_rest();

  std::string_view text_;
  std::string name_;
  char delimiter_;
  size_t lines_before_ = 0;
  bool whole_ = true, quotes_ = true;
  size_t at_ = 0;
};

}  // namespace stoker
