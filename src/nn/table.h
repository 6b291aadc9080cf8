#pragma once
#include <string>
#include <vector>

namespace stoker::nn {

// Rows under a heading, drawn with lines. A column of numbers is aligned to the right.
class Table {
 public:
  struct Column {
    std::string heading;
    bool numbers = false;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string to_string() const;

 private:
  std::string line(const std::vector<std::string>& cells, const char* separator) const;
  std::string rule(const char* left, const char* middle, const char* right, const char* dash) const;
  std::vector<size_t> widths() const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace stoker::nn
