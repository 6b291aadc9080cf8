#include "io/text/csv.h"

#include <cmath>
#include <limits>
#include <utility>

#include "io/arrays/array_format.h"
#include "io/text/csv_fields.h"
#include "io/text/csv_scanner.h"
#include "stoker/suggest.h"

namespace stoker {
namespace {

using Row = std::vector<CsvField>;

class CsvParser {
 public:
  CsvParser(const Blob& file, const CsvOptions& options)
      : file_(file), options_(options), scanner_(file.text(), file.name(), options.delimiter) {}

  Array parse() {
    Row row;
    if (!scanner_.next_row(row)) scanner_.fail(0, "the file is empty.");
    width_ = row.size();
    const bool header = has_header(row);
    choose_columns(row, header);
    if (header && !scanner_.next_row(row))
      scanner_.fail(file_.size(), "no row follows the header.");
    switch (options_.dtype) {
      case DType::float32:
        return values<float>(row);
      case DType::float64:
        return values<double>(row);
      case DType::int8:
        return values<int8_t>(row);
      case DType::uint8:
        return values<uint8_t>(row);
      case DType::int32:
        return values<int32_t>(row);
      case DType::int64:
        return values<int64_t>(row);
      default:
        break;
    }
    throw Unsupported(fmt::format("a CSV file cannot be read as {}.", name_of(options_.dtype)),
                      "read it as float32 and convert it with astype.");
  }

 private:
  // By default: words are a header, numbers are data, a mixture is an error.
  bool has_header(const Row& row) const {
    if (options_.header) return *options_.header;
    Row asked;
    for (const CsvColumn& column : options_.columns) {
      if (std::holds_alternative<std::string>(column)) return true;
      asked.push_back(row[index(std::get<int64_t>(column))]);
    }
    const CsvField *number = nullptr, *word = nullptr;
    for (const CsvField& field : options_.columns.empty() ? row : asked)
      if (const auto text = trimmed(field.text); !text.empty())
        (is_number(text) ? number : word) = &field;
    if (number && word)
      scanner_.fail(
          word->offset,
          fmt::format("the first row has both numbers and words, such as {:?}.", word->text),
          "say whether it is a header (.header), or choose the columns of numbers (.columns).");
    return word != nullptr;
  }

  size_t index(int64_t column) const {
    const auto width = static_cast<int64_t>(width_);
    if (column < -width || column >= width)
      throw InvalidArgument(
          fmt::format("column {} of \"{}\", which has {} columns.", column, file_.name(), width));
    return static_cast<size_t>(column < 0 ? column + width : column);
  }

  size_t index(const std::string& column, const Row& first, bool header) const {
    std::vector<std::string> known;
    for (size_t i = 0; header && i < first.size(); ++i) {
      known.push_back(std::string(trimmed(spelled_out(first[i]))));
      if (known.back() == column) return i;
    }
    throw InvalidArgument(fmt::format("\"{}\" has no column \"{}\".", file_.name(), column),
                          header ? did_you_mean(column, known) : "it was read without a header.");
  }

  void choose_columns(const Row& first, bool header) {
    for (const CsvColumn& column : options_.columns) {
      const auto* name = std::get_if<std::string>(&column);
      chosen_.push_back(name ? index(*name, first, header) : index(std::get<int64_t>(column)));
    }
    for (size_t i = 0; options_.columns.empty() && i < width_; ++i) chosen_.push_back(i);
  }

  template <class T>
  Array values(Row& row) {
    // Each field takes at least one byte, so this allocates no more than the file's size.
    const auto text = file_.text();
    const size_t lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    const size_t most = std::min(lines, text.size() / width_ + 1);
    Array array(dtype_of<T>, {static_cast<int64_t>(most), static_cast<int64_t>(chosen_.size())});
    T* out = array.template mutable_data<T>().data();
    int64_t rows = 0;
    do {
      check_width(row);
      for (size_t column : chosen_) *out++ = value<T>(row[column]);
      ++rows;
    } while (scanner_.next_row(row));
    return array.rows(0, rows);
  }

  void check_width(const Row& row) const {
    if (row.size() != width_)
      scanner_.fail(row[0].offset,
                    fmt::format("{} fields in this row, {} in the first.", row.size(), width_));
  }

  template <class T>
  T value(const CsvField& field) const {
    const std::string_view text = trimmed(field.text);
    if (text.empty()) return missing<T>(field);
    if constexpr (std::is_floating_point_v<T>) {
      double wide;
      if (!read_number(text, wide))
        scanner_.fail(field.offset, fmt::format("{:?} is not a number.", text));
      const T narrow = static_cast<T>(wide);
      if (std::isinf(narrow) && !std::isinf(wide)) fail_range(field, text);
      return narrow;
    } else {
      int64_t wide;
      if (!read_number(text, wide))
        scanner_.fail(field.offset, fmt::format("{:?} is not an integer.", text),
                      "read it as float32 if it has a fraction.");
      if (!std::in_range<T>(wide)) fail_range(field, text);
      return static_cast<T>(wide);
    }
  }

  template <class T>
  T missing(const CsvField& field) const {
    if (std::is_floating_point_v<T> && options_.allow_missing)
      return std::numeric_limits<T>::quiet_NaN();
    scanner_.fail(
        field.offset, "an empty field.",
        std::is_floating_point_v<T> ? "allow_missing reads it as NaN." : "integers have no NaN.");
  }

  [[noreturn]] void fail_range(const CsvField& field, std::string_view text) const {
    scanner_.fail(field.offset,
                  fmt::format("{} does not fit into {}.", text, name_of(options_.dtype)));
  }

  const Blob& file_;
  const CsvOptions& options_;
  CsvScanner scanner_;
  size_t width_ = 0;
  std::vector<size_t> chosen_;
};

bool is_tsv(const Blob& file) { return file.name().ends_with(".tsv"); }

const RegisterArrayFormat registered(
    {.name = "csv",
     .files = "*.csv, *.tsv",
     .takes = [](const Blob& file) { return file.name().ends_with(".csv") || is_tsv(file); },
     .parse =
         [](const Blob& file) { return parse_csv(file, {.delimiter = is_tsv(file) ? '\t' : ','}); },
     .by_content = false});

}  // namespace

Array parse_csv(const Blob& file, const CsvOptions& options) {
  return CsvParser(file, options).parse();
}

}  // namespace stoker
