#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "io/text_place.h"

namespace stoker {

struct CsvField {
  std::string_view text;  // without its quotes; a doubled quote inside is still doubled
  size_t offset = 0;
};

// Cuts text into rows by RFC 4180; lines end with \n or \r\n, empty lines are skipped.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& name, char delimiter);

  bool next_row(std::vector<CsvField>& row);  // false at the end
  [[noreturn]] void fail(size_t offset, std::string message, std::string hint = {}) const {
    fail_at(name_, place_of(text_, offset), std::move(message), std::move(hint));
  }

 private:
  CsvField field();
  CsvField quoted_field();
  bool accept_newline();

  std::string_view text_;
  const std::string& name_;
  char delimiter_;
  size_t at_ = 0;
};

}  // namespace stoker
