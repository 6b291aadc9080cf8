#pragma once
#include <string>
#include <vector>

namespace stoker::nn {

// A table with a heading, drawn with lines. Numeric columns are right-aligned. If it is wider than
// max_width, the widest text columns are wrapped.
class Table {
 public:
  struct Column {
    std::string heading;
    bool numbers = false;
  };
  explicit Table(std::vector<Column> columns, size_t max_width = 100)
      : columns_(std::move(columns)), max_width_(max_width) {}
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string to_string() const;

 private:
  using Widths = std::vector<size_t>;
  Widths widths() const;
  std::string row(const std::vector<std::string>& cells, const Widths& widths,
                  const char* separator) const;
  std::vector<Column> columns_;
  size_t max_width_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace stoker::nn
