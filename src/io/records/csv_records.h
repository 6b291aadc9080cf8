#pragma once
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/records/buffered_input.h"
#include "io/text/csv_scanner.h"
#include "stoker/csv_dataset.h"

namespace stoker {

using CsvValue = std::variant<int64_t, float, std::string>;  // in the order of CsvType

struct CsvRecordOptions {
  std::vector<std::string> columns = {};      // names; empty: all, in order
  std::vector<std::string> names = {};        // if given, the file has no header
  std::map<std::string, CsvType> types = {};  // others are inferred from the first rows
  size_t infer_rows = 100;
  char delimiter = ',';
  bool quotes = true;         // enclose fields; false: they are characters like others
  std::string na_value = {};  // marks a missing value, as an empty field does
  std::map<std::string, CsvValue> defaults = {};  // of columns with missing values
  bool allow_missing = false;                     // missing floats without a default are NaN
};

struct CsvTypedColumn {
  std::string name;
  CsvType type = CsvType::string;
};

// The rows of a CSV file, also gzipped. After an erroneous row the next one can be read.
class CsvRecords {
 public:
  explicit CsvRecords(const std::string& path, CsvRecordOptions options = {})
      : CsvRecords(open_input(path), std::move(options)) {}
  explicit CsvRecords(BufferedInput input, CsvRecordOptions options = {});

  const std::vector<CsvTypedColumn>& columns() const { return columns_; }
  bool next(std::vector<CsvValue>& row);  // one value per column; false at the end
  uint64_t skip(uint64_t rows);           // returns how many were skipped: fewer only at the end
  uint64_t position() const { return number_; }  // rows before the next one, without the header

 private:
  using Row = std::vector<CsvField>;
  bool advance();
  void refill();
  void read_names();
  void choose_columns();
  void infer_types();
  void check_options() const;
  size_t place_of_column(const std::string& name) const;
  std::vector<Row> first_rows();
  std::vector<Row> rows_ahead() const;
  CsvType inferred(const std::vector<Row>& rows, size_t place) const;
  void convert(std::vector<CsvValue>& out) const;
  void put(CsvValue& out, size_t column, const CsvField& field) const;
  void put_missing(CsvValue& out, size_t column, const CsvField& field) const;
  bool is_missing(const CsvField& field) const;

  BufferedInput input_;
  CsvRecordOptions options_;
  std::string_view window_;  // seen by the scanner; not consumed yet
  bool whole_ = false;       // the window extends to the end
  CsvScanner scanner_;
  Row row_;
  size_t lines_before_ = 0;  // lines before the window
  std::vector<std::string> names_;
  std::vector<CsvTypedColumn> columns_;
  std::vector<size_t> places_;  // indices of columns_ in a row
  uint64_t number_ = 0;
};

}  // namespace stoker
