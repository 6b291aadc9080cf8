#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "io/test_files.h"
#include "stoker/csv_dataset.h"
#include "stoker/record_datasets.h"
#include "stoker/text_dataset.h"
#include "stoker/timeseries_dataset.h"
#include "support/golden.h"

// Elements of tf.data and Keras: for random pipelines, and for files.
namespace stoker {
namespace {

using Strings = std::vector<std::string>;

template <class F>
void for_cases(const char* class_name, F f) {
  static const golden::Group group = golden::load("datasets");
  size_t count = 0;
  for (const Config& c : group.cases()) {
    if (c.find("class_name")->as_string() != class_name) continue;
    SCOPED_TRACE(c.to_string().substr(0, 600));
    f(c);
    ++count;
  }
  EXPECT_GT(count, 0u);
}

// An element in the golden files' form: shape and values of each array.
std::string description(const Element& element) {
  std::string text;
  for (const Array& array : element.arrays()) {
    text += to_string(array.shape()) + ":";
    for (int64_t i = 0; i < array.size(); ++i) text += fmt::format(" {}", array.at(i));
    text += "; ";
  }
  return text;
}
std::string description(const Config& element) {
  std::string text;
  for (const Config& array : element.as_list()) {
    std::vector<int64_t> dims;
    for (const Config& dim : array.find("shape")->as_list()) dims.push_back(dim.as_int());
    text += to_string(Shape(dims)) + ":";
    for (const Config& value : array.find("values")->as_list())
      text += fmt::format(" {}", value.as_double());
    text += "; ";
  }
  return text;
}
void expect_elements(const Dataset& dataset, const Config& c) {
  Strings got, want;
  for (const Element& element : dataset.take(100)) got.push_back(description(element));
  for (const Config& element : c.find("elements")->as_list()) want.push_back(description(element));
  EXPECT_EQ(got, want);
}

Element times_plus(const Element& element, int64_t times, int64_t plus) {
  Element made = element;
  for (Array& array : made.arrays()) {
    array = array.clone();
    for (int64_t& value : array.mutable_data<int64_t>()) value = value * times + plus;
  }
  return made;
}
int64_t sum_of(const Element& element) {
  int64_t sum = 0;
  for (const Array& array : element.arrays())
    for (const int64_t value : array.data<int64_t>()) sum += value;
  return sum;
}

Dataset source_of(const std::string& name, const std::vector<int64_t>& a) {
  if (name == "range") return Dataset::range(a[0]);
  std::vector<int64_t> values(static_cast<size_t>(a[0] * a[1]));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i);
  return Dataset::from_tensor_slices(Array::from(values, {a[0], a[1]}));
}

Dataset applied(const Dataset& d, const std::string& name, const std::vector<int64_t>& a) {
  const auto again = [](int64_t count) {
    return [count](const Element& element) { return Dataset::from_tensors(element).repeat(count); };
  };
  if (name == "map")
    return d.map([=](const Element& element) { return times_plus(element, a[0], a[1]); });
  if (name == "filter")
    return d.filter([=](const Element& element) { return sum_of(element) % a[0] == a[1]; });
  if (name == "batch") return d.batch(a[0], {.drop_remainder = a[1] != 0});
  if (name == "padded_batch") return d.padded_batch(a[0], {.drop_remainder = a[1] != 0});
  if (name == "rebatch") return d.rebatch(a[0], {.drop_remainder = a[1] != 0});
  if (name == "unbatch") return d.unbatch();
  if (name == "repeat") return d.repeat(a[0]);
  if (name == "take") return d.take(a[0]);
  if (name == "skip") return d.skip(a[0]);
  if (name == "shard") return d.shard(a[0], a[1]);
  if (name == "enumerate") return d.enumerate(a[0]);
  if (name == "zip") return Dataset::zip({Dataset::range(100, 100 + a[0]), d});
  if (name == "concatenate")
    return d.concatenate(d.map([](const Element& e) { return times_plus(e, 1, 1000); }));
  if (name == "flat_map") return d.flat_map(again(a[0]));
  if (name == "interleave")
    return d.interleave(again(a[2]), {.cycle_length = a[0], .block_length = a[1]});
  return d.window(a[0], {.shift = a[1], .stride = a[2], .drop_remainder = a[3] != 0})
      .flat_map([size = a[0]](const Dataset& window) { return window.batch(size); });
}

TEST(GoldenDatasets, RandomPipelinesGiveTfDatasElements) {
  for_cases("pipeline", [](const Config& c) {
    std::optional<Dataset> dataset;
    for (const Config& step : c.find("steps")->as_list()) {
      std::vector<int64_t> numbers;
      for (size_t i = 1; i < step.as_list().size(); ++i)
        numbers.push_back(step.as_list()[i].as_int());
      const std::string& name = step.as_list()[0].as_string();
      dataset = dataset ? applied(*dataset, name, numbers) : source_of(name, numbers);
    }
    expect_elements(*dataset, c);
    const int64_t cardinality = c.find("cardinality")->as_int(), ours = dataset->cardinality();
    if (cardinality >= 0 && ours >= 0) {
      EXPECT_EQ(ours, cardinality);
    }
  });
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

// The files of a case, in a temporary folder.
struct Files {
  explicit Files(const Config& c) {
    for (const auto& [name, content] : c.find("files")->as_map()) {
      const std::filesystem::path path = folder / name;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << from_hex(content.as_string());
      paths.push_back(path.string());
    }
  }
  TemporaryFolder folder;
  Strings paths;
};

Strings texts_of(const Dataset& dataset) {
  Strings all;
  for (const Element& element : dataset) all.emplace_back(element.array().text());
  return all;
}
Strings unhexed(const Config& list) {
  Strings all;
  for (const Config& text : list.as_list()) all.push_back(from_hex(text.as_string()));
  return all;
}

TEST(GoldenDatasets, LinesAndRecordsComeInTfDatasOrder) {
  const auto reads = [](const Config& c) {
    return c.find("config")->find("num_parallel_reads")->as_int();
  };
  for_cases("text_lines", [&](const Config& c) {
    const Files files(c);
    EXPECT_EQ(texts_of(TextLineDataset(files.paths, {.num_parallel_reads = reads(c)})),
              unhexed(*c.find("records")));
  });
  for_cases("tfrecord", [&](const Config& c) {
    const Files files(c);
    EXPECT_EQ(texts_of(TFRecordDataset(files.paths, {.num_parallel_reads = reads(c)})),
              unhexed(*c.find("records")));
  });
}

Strings strings_of(const Config& config, const char* key) {
  Strings all;
  if (const Config* list = config.find(key))
    for (const Config& name : list->as_list()) all.push_back(name.as_string());
  return all;
}
std::string string_of(const Config& config, const char* key) {
  const Config* found = config.find(key);
  return found ? found->as_string() : "";
}

void expect_column(const Array& got, const Config& want) {
  const auto& values = want.as_list();
  ASSERT_EQ(got.size(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    if (got.holds_strings())
      EXPECT_EQ(got.text(static_cast<int64_t>(i)), from_hex(values[i].as_string()));
    else
      EXPECT_EQ(got.at(static_cast<int64_t>(i)), values[i].as_double());
  }
}

TEST(GoldenDatasets, CsvColumnsAreTfDatas) {
  for_cases("csv", [](const Config& c) {
    const Files files(c);
    const Config& config = *c.find("config");
    CsvDatasetArgs args{.column_names = strings_of(config, "column_names"),
                        .label_name = string_of(config, "label_name"),
                        .select_columns = strings_of(config, "select_columns"),
                        .na_value = string_of(config, "na_value"),
                        .num_epochs = 1,
                        .shuffle = false};
    if (const Config* epochs = config.find("num_epochs")) args.num_epochs = epochs->as_int();
    if (const Config* header = config.find("header")) args.header = header->as_bool();
    if (config.find("field_delim")) args.field_delim = string_of(config, "field_delim")[0];
    const auto batches =
        make_csv_dataset(files.folder / "*.csv", c.find("batch_size")->as_int(), args).as_list();
    const auto& want = c.find("batches")->as_list();
    ASSERT_EQ(batches.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i)
      for (const Config& column : want[i].as_list()) {
        const Config& name = column.as_list()[0];
        const Element& table = args.label_name.empty() ? batches[i] : batches[i][0];
        expect_column(name.is_null() ? batches[i][1].array() : table[name.as_string()].array(),
                      column.as_list()[1]);
      }
  });
}

std::optional<int64_t> number_of(const Config& config, const char* key) {
  const Config& found = *config.find(key);
  return found.is_null() ? std::nullopt : std::optional(found.as_int());
}

TEST(GoldenDatasets, SequencesAreKerass) {
  for_cases("timeseries", [](const Config& c) {
    const Config& config = *c.find("config");
    const int64_t steps = c.find("steps")->as_int(), width = c.find("width")->as_int();
    std::vector<int64_t> values, targets;
    for (int64_t i = 0; i < steps * width; ++i) values.push_back(i);
    for (int64_t i = 0; i < steps; ++i) targets.push_back(i * 10);
    const auto dataset = timeseries_dataset_from_array(
        Array::from(values, {steps, width}),
        c.find("targets")->as_bool() ? Array::from(targets, {steps}) : Array(),
        *number_of(config, "sequence_length"),
        {.sequence_stride = *number_of(config, "sequence_stride"),
         .sampling_rate = *number_of(config, "sampling_rate"),
         .batch_size = number_of(config, "batch_size"),
         .start_index = number_of(config, "start_index"),
         .end_index = number_of(config, "end_index")});
    expect_elements(dataset, c);
  });
}

TEST(GoldenDatasets, TextsOfFoldersAreKerass) {
  for_cases("text_folder", [](const Config& c) {
    const Files files(c);
    const Config& config = *c.find("config");
    TextDatasetArgs args{.label_mode = string_of(config, "label_mode"),
                         .class_names = strings_of(config, "class_names"),
                         .batch_size = {},
                         .shuffle = !config.find("shuffle"),
                         .subset = string_of(config, "subset")};
    if (const Config* most = config.find("max_length")) args.max_length = most->as_int();
    if (const Config* seed = config.find("seed")) args.seed = static_cast<uint64_t>(seed->as_int());
    if (const Config* split = config.find("validation_split"))
      args.validation_split = split->as_double();
    Strings got, want;
    for (const auto& [text, label] : text_dataset_from_directory(files.folder.path(), args).dataset)
      got.push_back(std::string(text.text()) + " " + description(Element(label.reshape({-1}))));
    for (const Config& sample : c.find("samples")->as_list()) {
      const auto& label = sample.as_list()[1].as_list();
      want.push_back(from_hex(sample.as_list()[0].as_string()) +
                     fmt::format(" ({},):", label.size()));
      for (const Config& value : label) want.back() += fmt::format(" {}", value.as_double());
      want.back() += "; ";
    }
    if (args.shuffle) std::sort(got.begin(), got.end()), std::sort(want.begin(), want.end());
    EXPECT_EQ(got, want);
  });
}

}  // namespace
}  // namespace stoker
