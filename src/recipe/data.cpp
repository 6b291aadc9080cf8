#include <fmt/format.h>

#include <filesystem>

#include "nn/config/args.h"
#include "nn/training/inputs/fit_data.h"
#include "recipe/parts.h"
#include "stoker/io.h"
#include "stoker/suggest.h"

namespace stoker::nn {
namespace {

const std::vector<std::string> parts = {"train", "validation", "test"};

// How an array is read: data.x and data.y apply to all parts, a table in a part only to that part.
struct ArrayOptions {
  std::string file, delimiter;
  Config columns = Config::List{};
  std::optional<DType> dtype;
  std::optional<bool> header;
  std::vector<int64_t> reshape;
  int64_t one_hot = 0;
  bool allow_missing = false;
};
template <class V>
void visit(ArrayOptions& a, V& v) {
  v("file", a.file);
  v("columns", a.columns);
  v("header", a.header);
  v("delimiter", a.delimiter);
  v("allow_missing", a.allow_missing);
  v("dtype", a.dtype);
  v("reshape", a.reshape);
  v("one_hot", a.one_hot);
}

CsvOptions csv_options(const ArrayOptions& options) {
  CsvOptions csv;
  csv.delimiter = options.file.ends_with(".tsv") ? '\t' : ',';
  if (options.delimiter.size() > 1)
    throw InvalidArgument(
        fmt::format("\"delimiter\" must be one character, got \"{}\".", options.delimiter));
  if (!options.delimiter.empty()) csv.delimiter = options.delimiter[0];
  const Config& columns = options.columns;
  for (const Config& column : columns.is_list() ? columns.as_list() : Config::List{columns})
    csv.columns.push_back(column.is_string() ? CsvColumn(column.as_string())
                                             : CsvColumn(column.as_int()));
  csv.header = options.header;
  csv.allow_missing = options.allow_missing;
  if (options.dtype) csv.dtype = *options.dtype;
  return csv;
}

Array one_hot(const Array& labels, int64_t classes) {
  Array rows(DType::float32, {labels.size(), classes});
  auto out = rows.mutable_data<float>();
  for (int64_t i = 0; i < labels.size(); ++i) {
    const double label = labels.at(i);
    if (!(label >= 0 && label < static_cast<double>(classes)))
      throw InvalidArgument(fmt::format("sample {} has label {}, but one_hot has classes 0 to {}.",
                                        i, label, classes - 1));
    out[static_cast<size_t>(i * classes + static_cast<int64_t>(label))] = 1;
  }
  return rows;
}

Array prepare(Array array, const ArrayOptions& options) {
  if (options.dtype) array = array.astype(*options.dtype);
  if (!options.reshape.empty()) array = array.reshape(Shape(options.reshape));
  return options.one_hot > 0 ? one_hot(array, options.one_hot) : array;
}

Array load(const ArrayOptions& options) {
  const bool csv = options.file.ends_with(".csv") || options.file.ends_with(".tsv");
  return prepare(csv ? load_csv(options.file, csv_options(options)) : load_array(options.file),
                 options);
}

// The table of data.<column>, overridden by that of the part's own array.
ArrayOptions read_options(const RecipeSource& source, const std::string& path,
                          const std::string& column) {
  Config merged = Config::map();
  for (const auto& place : {"data." + column, path}) {
    const Config* config = source.find(place);
    if (!config) continue;
    if (config->is_string())
      merged["file"] = *config;
    else
      source.at(place, [&] {
        for (const auto& [key, value] : config->as_map()) merged[key] = value;
        read_args<ArrayOptions>(*config, fmt::format("\"{}\"", place));
      });
  }
  return read_args<ArrayOptions>(merged, fmt::format("\"{}\"", path));
}

// One array or a list.
std::vector<std::string> array_paths(const RecipeSource& source, const std::string& path) {
  const Config* config = source.find(path);
  if (!config) return {};
  if (!config->is_list()) return {path};
  std::vector<std::string> paths;
  for (size_t i = 0; i < config->as_list().size(); ++i)
    paths.push_back(fmt::format("{}.{}", path, i));
  return paths;
}

void check_part(const RecipeSource& source, const std::string& part) {
  const std::string table = "data." + part;
  source.check_keys(table, {"x", "y", "sample_weight"});
  for (const char* column : {"x", "y"})
    if (!source.find(fmt::format("{}.{}", table, column)))
      source.fail(table, fmt::format("\"{}.{}\" is missing.", table, column),
                  part == "test" ? ""
                                 : fmt::format("name a file there, or give --{}{}.",
                                               part == "train" ? "" : "validation-", column));
  for (const char* column : {"x", "y", "sample_weight"})
    for (const auto& path : array_paths(source, fmt::format("{}.{}", table, column))) {
      const auto options = read_options(source, path, column);
      if (options.file.empty()) source.fail(path, fmt::format("\"{}\" names no file.", path));
      source.at(path, [&] { csv_options(options); });
      const size_t member = options.file.rfind(".npz:");
      const std::string file =
          member == std::string::npos ? options.file : options.file.substr(0, member + 4);
      std::error_code ignored;
      // A model file is read first: its errors are reported before those of the data.
      if (!source.is_model_file() && !std::filesystem::exists(file, ignored))
        source.fail(path, fmt::format("there is no file \"{}\".", file),
                    "files are looked for from where the program is started.");
    }
}

bool dataset_has(const std::string& part) { return part == "train" || part == "test"; }

Arrays rows_of(const Arrays& arrays, int64_t begin, int64_t end) {
  Arrays rows;
  for (const Array& array : arrays) rows.push_back(array.rows(begin, end));
  return rows;
}

ValidationData from_dataset(const RecipeSource& source, const std::string& part) {
  const auto all = datasets::fashion_mnist();
  if (!has_data(source, part))
    source.fail("data.dataset", fmt::format("the data set has no \"{}\" part.", part));
  const bool train = part == "train";
  const auto prepared = [&](const Array& array, const std::string& column) {
    const std::string path = "data." + column;
    return source.at(path, [&] { return prepare(array, read_options(source, path, column)); });
  };
  return {prepared(train ? all.x_train : all.x_test, "x"),
          prepared(train ? all.y_train : all.y_test, "y")};
}

}  // namespace

bool has_data(const RecipeSource& source, const std::string& part) {
  if (source.find("data.dataset")) return dataset_has(part);
  return source.find("data." + part) != nullptr;
}

void check_data(const RecipeSource& source) {
  source.check_keys("data", {"dataset", "x", "y", "train", "validation", "test", "target",
                             "image_size", "color_mode", "label_mode", "pipeline"});
  check_pipeline(source);
  const Config* dataset = source.find("data.dataset");
  for (const char* column : {"x", "y"}) {
    const std::string path = fmt::format("data.{}", column);
    if (const Config* options = source.find(path)) {
      if (!options->is_map())
        source.fail(path, fmt::format("\"{}\" is a table of options for all parts.", path),
                    fmt::format("name the file in data.train.{}.", column));
      read_options(source, path, column);
    }
  }
  for (const auto& part : parts) {
    if (!source.find("data." + part)) continue;
    if (dataset)
      source.fail("data." + part, fmt::format("the data set already has \"data.{}\".", part),
                  "give either data.dataset or files.");
    if (!names_source(source, part)) check_part(source, part);
  }
  if (!dataset) return;
  source.at("data.dataset", [&] {
    if (dataset->as_string() != "fashion_mnist")
      throw InvalidArgument(fmt::format("unknown data set \"{}\".", dataset->as_string()),
                            did_you_mean(dataset->as_string(), {"fashion_mnist"}));
  });
}

ValidationData read_data(const RecipeSource& source, const std::string& part) {
  if (source.find("data.dataset")) return from_dataset(source, part);
  source.get("data." + part);
  const auto arrays = [&](const std::string& column) {
    Arrays loaded;
    for (const auto& path : array_paths(source, fmt::format("data.{}.{}", part, column)))
      source.at(path, [&] { loaded.push_back(load(read_options(source, path, column))); });
    return loaded;
  };
  return {arrays("x"), arrays("y"), arrays("sample_weight")};
}

ValidationData read_used_data(const RecipeSource& source, const std::string& part, double split) {
  const bool own_validation = has_data(source, "validation");
  if (part == "validation" && !own_validation && split == 0)
    source.fail("data", "the recipe has no validation data.",
                "set fit.validation_split, or name files in data.validation.");
  if (part == "test" || own_validation || split == 0) return read_data(source, part);
  const ValidationData all = read_data(source, "train");
  const int64_t samples = all.x.at(0).length(),
                kept = source.at("fit.validation_split",
                                 [&] { return samples_kept(samples, split, "evaluate"); }),
                begin = part == "train" ? 0 : kept, end = part == "train" ? kept : samples;
  return {rows_of(all.x, begin, end), rows_of(all.y, begin, end),
          rows_of(all.sample_weight, begin, end)};
}

}  // namespace stoker::nn
