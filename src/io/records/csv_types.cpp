#include <algorithm>

#include "io/records/csv_records.h"
#include "io/text/csv_fields.h"

namespace stoker {

void CsvRecords::check_options() const {
  for (const auto& [name, type] : options_.types) place_of_column(name);
  for (const auto& [name, value] : options_.defaults) {
    place_of_column(name);
    for (const CsvTypedColumn& column : columns_)
      if (column.name == name && static_cast<size_t>(column.type) != value.index())
        throw InvalidArgument(fmt::format("the default of column \"{}\" has another type.", name),
                              "give the column's type, too (.types).");
  }
}

void CsvRecords::infer_types() {
  const bool all_given = std::all_of(columns_.begin(), columns_.end(), [&](const auto& column) {
    return options_.types.contains(column.name);
  });
  const std::vector<Row> rows = all_given ? std::vector<Row>{} : first_rows();
  for (size_t i = 0; i < columns_.size(); ++i) {
    const auto given = options_.types.find(columns_[i].name);
    columns_[i].type = given == options_.types.end() ? inferred(rows, places_[i]) : given->second;
  }
  check_options();
}

// Reads ahead until there are enough rows.
std::vector<CsvRecords::Row> CsvRecords::first_rows() {
  for (;;) {
    std::vector<Row> rows = rows_ahead();
    if (rows.size() >= options_.infer_rows || whole_) return rows;
    refill();
  }
}

// The rows in the window. Erroneous rows are skipped; they are errors when they are read.
std::vector<CsvRecords::Row> CsvRecords::rows_ahead() const {
  std::vector<Row> rows;
  CsvScanner ahead = scanner_;
  for (Row row; rows.size() < options_.infer_rows;) {
    try {
      if (!ahead.next_row(row)) return rows;
      if (row.size() == names_.size()) rows.push_back(row);
    } catch (const IoError&) {
    }
  }
  return rows;
}

CsvType CsvRecords::inferred(const std::vector<Row>& rows, size_t place) const {
  bool integers = true, any = false, all = true;
  for (const Row& row : rows) {
    const std::string_view text = trimmed(row[place].text);
    if (is_missing(row[place])) {
      all = false;
      continue;
    }
    any = true;
    int64_t ignored;
    integers = integers && read_number(text, ignored);
    if (!integers && !is_number(text)) return CsvType::string;
  }
  if (!any) return CsvType::string;
  // Missing values are NaN, which integers do not have.
  return integers && (all || !options_.allow_missing) ? CsvType::int64 : CsvType::float32;
}

}  // namespace stoker
