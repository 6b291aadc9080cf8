#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stoker/dataset.h"

namespace stoker {

enum class CsvType { int64, float32, string };  // each can hold what those before it can

// Of a column: the value that stands for a missing one, or a type, and nothing may be missing.
using CsvDefault = std::variant<int64_t, double, std::string, CsvType>;

// tf.data's arguments and defaults of make_csv_dataset.
struct CsvDatasetArgs {
  std::vector<std::string> column_names = {};  // empty: those in the first line of the first file
  std::vector<CsvDefault> column_defaults =
      {};                       // of the selected columns; empty: by the first rows
  std::string label_name = {};  // given: elements are (columns, label)
  std::vector<std::string> select_columns = {};  // empty: all
  char field_delim = ',';
  std::string na_value = {};               // stands for nothing, as an empty field does
  bool header = true;                      // the first line of every file is none of the rows
  std::optional<int64_t> num_epochs = {};  // none: for ever
  bool shuffle = true;
  int64_t shuffle_buffer_size = 10000;
  std::optional<uint64_t> shuffle_seed = {};  // none: the fit's
  int64_t num_parallel_reads = 1;             // files at a time, which take turns row by row
  int64_t num_rows_for_inference = 100;
};

// Batches of the rows of CSV files, also gzipped, as a table of columns by their names: int64,
// float32 or strings. The pattern may have * and ?; files come in the order of their names, or
// shuffled.
Dataset make_csv_dataset(const std::string& file_pattern, int64_t batch_size,
                         const CsvDatasetArgs& args = {},
                         const Dataset::From& from = Dataset::From::current());

}  // namespace stoker
