#include "io/records/csv_records.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/records/record_number.h"
#include "io/text/csv_fields.h"
#include "stoker/suggest.h"

namespace stoker {

CsvRecords::CsvRecords(BufferedInput input, CsvRecordOptions options)
    : input_(std::move(input)),
      options_(std::move(options)),
      scanner_({}, input_.name(), options_.delimiter) {
  read_names();
  choose_columns();
  infer_types();
}

bool CsvRecords::next(std::vector<CsvValue>& row) {
  return in_record("row", number_, [&] {
    if (!advance()) return false;
    convert(row);
    return true;
  });
}

uint64_t CsvRecords::skip(uint64_t rows) {
  uint64_t skipped = 0;
  for (; skipped < rows; ++skipped) {
    const uint64_t before = number_;
    try {
      if (!advance()) break;
    } catch (const IoError&) {
      if (number_ == before) throw;  // not an error of a single row
    }
  }
  return skipped;
}

bool CsvRecords::advance() {
  for (;;) {
    try {
      if (scanner_.next_row(row_)) {
        ++number_;
        return true;
      }
    } catch (const IoError&) {
      ++number_;
      throw;
    }
    if (whole_) return false;
    refill();
  }
}

// Moves the window to the next row, and at least doubles it.
void CsvRecords::refill() {
  const std::string_view done = window_.substr(0, scanner_.offset());
  lines_before_ += static_cast<size_t>(std::count(done.begin(), done.end(), '\n'));
  const size_t wanted = std::max<size_t>(1, 2 * (window_.size() - done.size()));
  input_.consume(done.size());
  window_ = {};
  whole_ = true;  // in case of an error
  scanner_ = CsvScanner({}, input_.name(), options_.delimiter);
  window_ = input_.peek(wanted);
  whole_ = window_.size() < wanted;
  scanner_ = CsvScanner(window_, input_.name(), options_.delimiter, lines_before_, whole_,
                        options_.quotes);
}

void CsvRecords::read_names() {
  names_ = options_.names;
  if (names_.empty()) {
    if (!advance()) scanner_.fail(0, "the file is empty.");
    for (const CsvField& field : row_) names_.emplace_back(trimmed(spelled_out(field)));
    number_ = 0;
  }
  for (auto name = names_.begin(); name != names_.end(); ++name)
    if (std::find(names_.begin(), name, *name) != name)
      scanner_.fail(0, fmt::format("two columns are called {:?}.", *name),
                    "give other names (.names) to a file without a header.");
}

size_t CsvRecords::place_of_column(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<size_t>(found - names_.begin());
  throw InvalidArgument(fmt::format("\"{}\" has no column \"{}\".", input_.name(), name),
                        did_you_mean(name, names_));
}

void CsvRecords::choose_columns() {
  for (const std::string& name : options_.columns.empty() ? names_ : options_.columns) {
    places_.push_back(place_of_column(name));
    columns_.push_back({name, CsvType::string});
  }
}

void CsvRecords::convert(std::vector<CsvValue>& out) const {
  if (row_.size() != names_.size())
    scanner_.fail(row_[0].offset,
                  fmt::format("{} fields in this row, {} {}.", row_.size(), names_.size(),
                              options_.names.empty() ? "in the header" : "names were given"));
  out.resize(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) put(out[i], i, row_[places_[i]]);
}

bool CsvRecords::is_missing(const CsvField& field) const {
  const std::string_view text = trimmed(field.text);
  return text.empty() || text == options_.na_value;
}

void CsvRecords::put(CsvValue& out, size_t column, const CsvField& field) const {
  if (is_missing(field)) return put_missing(out, column, field);
  const std::string_view text = trimmed(field.text);
  const auto fail = [&](std::string_view what) {
    const bool given = options_.types.contains(columns_[column].name);
    scanner_.fail(
        field.offset, fmt::format("{:?} in column {:?} {}.", text, columns_[column].name, what),
        given ? "" : "its type was inferred from the first rows: give it another one (.types).");
  };
  double wide = 0;
  switch (columns_[column].type) {
    case CsvType::int64:
      if (!read_number(text, out.emplace<int64_t>())) fail("is not an integer");
      return;
    case CsvType::float32:
      if (!read_number(text, wide)) fail("is not a number");
      if (std::isinf(out.emplace<float>(static_cast<float>(wide))) && !std::isinf(wide))
        fail("does not fit into float32");
      return;
    case CsvType::string:
      out = spelled_out(field);
  }
}

void CsvRecords::put_missing(CsvValue& out, size_t column, const CsvField& field) const {
  const auto& [name, type] = columns_[column];
  if (const auto given = options_.defaults.find(name); given != options_.defaults.end())
    out = given->second;
  else if (type == CsvType::string)
    out = std::string();
  else if (type == CsvType::float32 && options_.allow_missing)
    out = std::numeric_limits<float>::quiet_NaN();
  else
    scanner_.fail(field.offset, fmt::format("nothing in column {:?}.", name),
                  type == CsvType::float32
                      ? "give it a default (.defaults), or allow_missing reads it as NaN."
                      : "give it a default (.defaults).");
}

}  // namespace stoker
