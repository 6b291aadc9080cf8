#include "nn/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace stoker::nn {

std::vector<size_t> Table::widths() const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(columns_[c].heading.size());
    for (const auto& row : rows_) widths[c] = std::max(widths[c], row[c].size());
  }
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells, const char* separator) const {
  const auto width = widths();
  std::string text = separator;
  for (size_t c = 0; c < cells.size(); ++c)
    text += columns_[c].numbers ? fmt::format(" {:>{}} {}", cells[c], width[c], separator)
                                : fmt::format(" {:<{}} {}", cells[c], width[c], separator);
  return text + "\n";
}

std::string Table::rule(const char* left, const char* middle, const char* right,
                        const char* dash) const {
  std::string text = left;
  for (size_t width : widths()) {
    if (text.size() > std::string_view(left).size()) text += middle;
    for (size_t i = 0; i < width + 2; ++i) text += dash;
  }
  return text + right + "\n";
}

std::string Table::to_string() const {
  std::vector<std::string> headings;
  for (const auto& column : columns_) headings.push_back(column.heading);
  std::string text = rule("┏", "┳", "┓", "━") + line(headings, "┃") + rule("┡", "╇", "┩", "━");
  for (size_t r = 0; r < rows_.size(); ++r)
    text += (r > 0 ? rule("├", "┼", "┤", "─") : "") + line(rows_[r], "│");
  return text + rule("└", "┴", "┘", "─");
}

}  // namespace stoker::nn
