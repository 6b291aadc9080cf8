#include <fmt/format.h>

#include <algorithm>

#include "data/sources/list_files.h"
#include "data/sources/record_files.h"
#include "data/value_column.h"
#include "io/records/csv_records.h"
#include "stoker/csv_dataset.h"
#include "stoker/suggest.h"

namespace stoker::data {
namespace {

// What to read from CSV files, and how.
struct CsvForm {
  CsvRecordOptions options;  // with names and types of all columns
  std::vector<CsvType> types;
  bool header = true, own_names = false;  // own_names: overrides the header
  std::optional<size_t> label;            // index of the column

  ElementSpec spec() const {
    ElementSpec spec{structure(), {}};
    for (const size_t column : order())
      spec.arrays.push_back({types[column] == CsvType::float32 ? DType::float32 : DType::int64,
                             {},
                             types[column] == CsvType::string});
    return spec;
  }
  // The order of the columns in an element: the label is last.
  std::vector<size_t> order() const {
    std::vector<size_t> order;
    for (size_t i = 0; i < types.size(); ++i)
      if (i != label) order.push_back(i);
    if (label) order.push_back(*label);
    return order;
  }
  Structure structure() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < types.size(); ++i)
      if (i != label) names.push_back(options.columns[i]);
    std::vector<Structure> parts(names.size());
    const auto table = Structure::table(std::move(names), std::move(parts));
    return label ? Structure::tuple({table, {}}) : table;
  }
};

std::vector<std::string> names_of(const std::vector<CsvTypedColumn>& columns) {
  std::vector<std::string> names;
  for (const CsvTypedColumn& column : columns) names.push_back(column.name);
  return names;
}

CsvRecords opened_csv(const std::string& path, const CsvForm& form) {
  if (form.header && !form.own_names) {
    const auto names = names_of(CsvRecords(path, {.infer_rows = 0,
                                                  .delimiter = form.options.delimiter,
                                                  .quotes = form.options.quotes})
                                    .columns());
    if (names != form.options.names)
      throw IoError(fmt::format("\"{}\" has the columns {}, but the first file has {}.", path,
                                fmt::join(names, ", "), fmt::join(form.options.names, ", ")));
  }
  CsvRecords records(path, form.options);
  if (form.header) records.skip(1);
  return records;
}

ValueColumn empty_column(CsvType type) {
  switch (type) {
    case CsvType::int64:
      return ValueColumn::integers();
    case CsvType::float32:
      return ValueColumn::floats();
    case CsvType::string:
      break;
  }
  return ValueColumn::strings();
}

class CsvCursor : public Cursor {
 public:
  CsvCursor(const Stage& stage, const std::vector<std::string>& files, const CsvForm& form)
      : rows_(stage, files, [&form](const std::string& path) { return opened_csv(path, form); }),
        form_(form),
        structure_(form.structure()),
        order_(form.order()) {}

  bool next(Element& element) override {
    return rows_.making_one([&] {
      if (read_rows(element, 1) == 0) return false;
      for (Array& array : element.arrays()) array = array.reshape({});
      return true;
    });
  }
  int64_t skip(int64_t count) override { return rows_.skip(count); }
  void add_origins(std::vector<SampleOrigin>& to) const override { rows_.add_origins(to); }
  bool gives_rows() const override { return true; }
  bool next_rows(Element& rows, int64_t most) override {
    return rows_.making_rows([&] { return read_rows(rows, most); });
  }

 private:
  int64_t read_rows(Element& rows, int64_t most) {
    if (columns_.empty())
      for (const size_t i : order_) columns_.push_back(empty_column(form_.types[i]));
    while (columns_[0].size() < most && rows_.next(row_))
      for (size_t i = 0; i < order_.size(); ++i)
        std::visit([&](const auto& value) { columns_[i].add(value); }, row_[order_[i]]);
    const int64_t count = columns_[0].size();
    if (count == 0) return 0;
    std::vector<Array> arrays;
    for (const ValueColumn& column : columns_) arrays.push_back(column.array(Shape{count}));
    columns_.clear();
    rows = Element(structure_, std::move(arrays));
    return count;
  }

  RecordsOfFiles<CsvRecords, std::vector<CsvValue>> rows_;
  const CsvForm& form_;
  Structure structure_;
  std::vector<size_t> order_;
  std::vector<CsvValue> row_;
  std::vector<ValueColumn> columns_;  // rows before an erroneous one
};

class CsvFiles : public Stage {
 public:
  CsvFiles(std::vector<std::string> files, CsvForm form, const std::source_location& created)
      : Stage("make_csv_dataset", created), files_(std::move(files)), form_(std::move(form)) {}
  int64_t cardinality() const override { return UNKNOWN_CARDINALITY; }
  std::vector<std::string> files_in_turn() const override { return files_; }
  std::optional<ElementSpec> spec() const override { return form_.spec(); }
  std::unique_ptr<Cursor> open(const Opening&) const override {
    return std::make_unique<CsvCursor>(*this, files_, form_);
  }

 private:
  std::vector<std::string> files_;
  CsvForm form_;
};

void give_default(CsvForm& form, const std::string& column, const CsvDefault& value) {
  if (const auto* type = std::get_if<CsvType>(&value)) {
    form.options.types[column] = *type;
    return;
  }
  form.options.types[column] = static_cast<CsvType>(value.index());
  auto& to = form.options.defaults[column];
  if (const auto* integer = std::get_if<int64_t>(&value)) to = *integer;
  if (const auto* real = std::get_if<double>(&value)) to = static_cast<float>(*real);
  if (const auto* text = std::get_if<std::string>(&value)) to = *text;
}

// Zero or empty, tf.data's default for columns with inferred types.
CsvDefault nothing_of(CsvType type) {
  if (type == CsvType::string) return std::string();
  return type == CsvType::int64 ? CsvDefault(int64_t{0}) : CsvDefault(0.0);
}

void set_types(CsvForm& form, const CsvDatasetArgs& args,
               const std::vector<CsvTypedColumn>& inferred) {
  const auto& given = args.column_defaults;
  if (!given.empty() && given.size() != form.options.columns.size())
    throw InvalidArgument(fmt::format("make_csv_dataset: {} column_defaults for {} columns.",
                                      given.size(), form.options.columns.size()));
  for (size_t i = 0; i < form.options.columns.size(); ++i) {
    const std::string& column = form.options.columns[i];
    const auto& names = form.options.names;
    const auto place = std::find(names.begin(), names.end(), column) - names.begin();
    if (place == static_cast<std::ptrdiff_t>(names.size()))
      throw InvalidArgument(fmt::format("make_csv_dataset: there is no column \"{}\".", column),
                            did_you_mean(column, names));
    const CsvType type = inferred[static_cast<size_t>(place)].type;
    give_default(form, column, given.empty() ? nothing_of(type) : given[i]);
    form.types.push_back(form.options.types[column]);
  }
}

void set_label(CsvForm& form, const std::string& name) {
  const auto& columns = form.options.columns;
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end())
    throw InvalidArgument(
        fmt::format("make_csv_dataset: label_name \"{}\" is none of the columns.", name),
        did_you_mean(name, columns));
  form.label = static_cast<size_t>(found - columns.begin());
}

// Infers types from the first rows of all files together.
std::vector<CsvTypedColumn> inferred_columns(const std::vector<std::string>& files,
                                             const CsvRecordOptions& options, int64_t rows) {
  std::vector<CsvTypedColumn> columns;
  auto left = static_cast<uint64_t>(std::max<int64_t>(0, rows));
  for (const std::string& file : files) {
    CsvRecordOptions look = options;
    look.infer_rows = left;
    CsvRecords records(file, look);
    if (columns.empty()) columns = records.columns();
    for (size_t i = 0; i < std::min(columns.size(), records.columns().size()); ++i)
      columns[i].type = std::max(columns[i].type, records.columns()[i].type);
    left -= records.skip(left);
    if (left == 0) break;
  }
  return columns;
}

CsvForm form_of_csv(const std::vector<std::string>& files, const CsvDatasetArgs& args) {
  if (!args.header && args.column_names.empty())
    throw InvalidArgument("make_csv_dataset: files without a header need column_names.");
  if (args.encoding != "utf-8" && args.encoding != "utf8" && args.encoding != "ascii")
    throw InvalidArgument(
        fmt::format("make_csv_dataset: the encoding \"{}\" is not supported.", args.encoding),
        "files must be UTF-8: iconv converts them.");
  CsvForm form{.options = {.delimiter = args.field_delim,
                           .quotes = args.use_quote_delim,
                           .na_value = args.na_value},
               .header = args.header,
               .own_names = !args.column_names.empty()};
  CsvRecordOptions look = form.options;
  if (!args.header) look.names = args.column_names;
  const auto inferred = inferred_columns(files, look, args.num_rows_for_inference);
  form.options.names = form.own_names ? args.column_names : names_of(inferred);
  if (form.options.names.size() != inferred.size())
    throw InvalidArgument(
        fmt::format("make_csv_dataset: {} column_names, but \"{}\" has {} columns.",
                    form.options.names.size(), files[0], inferred.size()));
  form.options.columns = args.select_columns.empty() ? form.options.names : args.select_columns;
  set_types(form, args, inferred);
  if (!args.label_name.empty()) set_label(form, args.label_name);
  return form;
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset make_csv_dataset(const std::vector<std::string>& file_patterns, int64_t batch_size,
                         const CsvDatasetArgs& args, const Dataset::From& from) {
  const auto files = data::files_matching(file_patterns, "make_csv_dataset");
  const auto form = data::form_of_csv(files, args);
  Dataset rows = data::read_files(
      files,
      {.num_parallel_reads = args.num_parallel_reads,
       .shuffle = args.shuffle,
       .seed = args.shuffle_seed},
      [=](const std::vector<std::string>& some) {
        return Dataset(std::make_shared<data::CsvFiles>(some, form, from));
      },
      from);
  if (args.shuffle)
    rows = rows.shuffle(args.shuffle_buffer_size, {.seed = args.shuffle_seed}, from);
  if (args.num_epochs != 1) rows = rows.repeat(args.num_epochs.value_or(-1), from);
  return rows.batch(batch_size, {.drop_remainder = !args.num_epochs}, from);
}

}  // namespace stoker
