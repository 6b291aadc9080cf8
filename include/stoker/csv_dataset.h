#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stoker/dataset.h"

namespace stoker {

enum class CsvType { int64, float32, string };  // each can represent the values of those before it

// For a column: the default for missing values, or a type, if values must not be missing.
using CsvDefault = std::variant<int64_t, double, std::string, CsvType>;

// Arguments and defaults of tf.data's make_csv_dataset.
struct CsvDatasetArgs {
  std::vector<std::string> column_names = {};  // empty: from the first line of the first file
  std::vector<CsvDefault> column_defaults =
      {};                       // of the selected columns; empty: inferred from the first rows
  std::string label_name = {};  // if given, elements are (columns, label)
  std::vector<std::string> select_columns = {};  // empty: all
  char field_delim = ',';
  bool use_quote_delim = true;             // false: quotes are characters like others
  std::string na_value = {};               // marks a missing value, as an empty field does
  bool header = true;                      // the first line of every file is a header
  std::optional<int64_t> num_epochs = {};  // none: infinite
  bool shuffle = true;
  int64_t shuffle_buffer_size = 10000;
  std::optional<uint64_t> shuffle_seed = {};  // none: the fit's
  int64_t num_parallel_reads = 1;  // number of files read concurrently, interleaved row by row
  int64_t num_rows_for_inference = 100;
  std::string encoding = "utf-8";  // others are refused
};

// Batches of rows of CSV files, also gzipped, as a dict of columns by name: int64, float32 or
// strings. Patterns may contain * and ?; files are read in alphabetical order, or shuffled.
Dataset make_csv_dataset(const std::vector<std::string>& file_patterns, int64_t batch_size,
                         const CsvDatasetArgs& args = {},
                         const Dataset::From& from = Dataset::From::current());
inline Dataset make_csv_dataset(std::initializer_list<const char*> file_patterns,
                                int64_t batch_size, const CsvDatasetArgs& args = {},
                                const Dataset::From& from = Dataset::From::current()) {
  return make_csv_dataset(std::vector<std::string>(file_patterns.begin(), file_patterns.end()),
                          batch_size, args, from);
}
inline Dataset make_csv_dataset(const std::string& file_pattern, int64_t batch_size,
                                const CsvDatasetArgs& args = {},
                                const Dataset::From& from = Dataset::From::current()) {
  return make_csv_dataset(std::vector{file_pattern}, batch_size, args, from);
}

}  // namespace stoker
