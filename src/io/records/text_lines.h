#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "io/records/buffered_input.h"

namespace stoker {

// The lines of a text file, also gzipped, without the terminating \n or \r\n. The last
// line need not be terminated.
class TextLineReader {
 public:
  explicit TextLineReader(const std::string& path) : TextLineReader(open_input(path)) {}
  explicit TextLineReader(BufferedInput input) : input_(std::move(input)) {}

  bool next(std::string_view& line);  // false at the end; owner() keeps the line's bytes alive
  uint64_t skip(uint64_t lines);      // returns how many were skipped: fewer only at the end
  uint64_t position() const { return number_; }  // lines before the next one
  std::shared_ptr<const void> owner() { return input_.owner(); }

 private:
  bool take(std::string_view& line);

  BufferedInput input_;
  uint64_t number_ = 0;
  bool ended_ = false;
};

}  // namespace stoker
