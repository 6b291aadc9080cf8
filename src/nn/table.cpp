#include "nn/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace stoker::nn {
namespace {

constexpr size_t narrowest = 12;  // minimum width of a text column
constexpr size_t frame = 3;       // columns of the screen: spaces and a line

// Wraps into lines of at most `width` characters, at spaces if possible.
std::vector<std::string> wrapped(std::string text, size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    const size_t space = text.rfind(' ', width);
    const bool found = space != text.npos && space > 0;
    lines.push_back(text.substr(0, found ? space : width));
    text.erase(0, found ? space + 1 : width);
  }
  lines.push_back(std::move(text));
  return lines;
}

std::string rule(const std::vector<size_t>& widths, const char* left, const char* middle,
                 const char* right, const char* dash) {
  std::string text;
  for (size_t width : widths) {
    text += text.empty() ? left : middle;
    for (size_t i = 0; i < width + 2; ++i) text += dash;
  }
  return text + right + "\n";
}

}  // namespace

Table::Widths Table::widths() const {
  Widths widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(columns_[c].heading.size());
    for (const auto& row : rows_) widths[c] = std::max(widths[c], row[c].size());
  }
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), frame * widths.size() + 1);
  };
  while (total() > max_width_) {
    size_t widest = columns_.size();
    for (size_t c = 0; c < columns_.size(); ++c)
      if (!columns_[c].numbers && widths[c] > narrowest &&
          (widest == columns_.size() || widths[c] > widths[widest]))
        widest = c;
    if (widest == columns_.size()) break;
    --widths[widest];
  }
  return widths;
}

std::string Table::row(const std::vector<std::string>& cells, const Widths& widths,
                       const char* separator) const {
  std::vector<std::vector<std::string>> lines;
  size_t height = 1;
  for (size_t c = 0; c < cells.size(); ++c) {
    lines.push_back(wrapped(cells[c], widths[c]));
    height = std::max(height, lines[c].size());
  }
  std::string text;
  for (size_t i = 0; i < height; ++i) {
    text += separator;
    for (size_t c = 0; c < cells.size(); ++c) {
      const std::string part = i < lines[c].size() ? lines[c][i] : "";
      text += columns_[c].numbers ? fmt::format(" {:>{}} {}", part, widths[c], separator)
                                  : fmt::format(" {:<{}} {}", part, widths[c], separator);
    }
    text += "\n";
  }
  return text;
}

std::string Table::to_string() const {
  const Widths width = widths();
  std::vector<std::string> headings;
  for (const auto& column : columns_) headings.push_back(column.heading);
  std::string text =
      rule(width, "┏", "┳", "┓", "━") + row(headings, width, "┃") + rule(width, "┡", "╇", "┩", "━");
  for (size_t r = 0; r < rows_.size(); ++r)
    text += (r > 0 ? rule(width, "├", "┼", "┤", "─") : "") + row(rows_[r], width, "│");
  return text + rule(width, "└", "┴", "┘", "─");
}

}  // namespace stoker::nn
