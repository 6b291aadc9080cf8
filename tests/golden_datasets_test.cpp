#include <algorithm>
#include <filesystem>
#include <fstream>

#include "io/test_files.h"
#include "stoker/csv_dataset.h"
#include "stoker/image_dataset.h"
#include "stoker/record_datasets.h"
#include "stoker/text_dataset.h"
#include "stoker/timeseries_dataset.h"
#include "support/golden_elements.h"

// Elements that tf.data and Keras read of files.
namespace stoker {
namespace {

using Strings = std::vector<std::string>;

using golden::description;
using golden::expect_elements;
using golden::for_dataset_cases;

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
  for_dataset_cases("text_lines", [&](const Config& c) {
    const Files files(c);
    EXPECT_EQ(texts_of(TextLineDataset(files.paths, {.num_parallel_reads = reads(c)})),
              unhexed(*c.find("records")));
  });
  for_dataset_cases("tfrecord", [&](const Config& c) {
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
  for_dataset_cases("csv", [](const Config& c) {
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
  for_dataset_cases("timeseries", [](const Config& c) {
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
  for_dataset_cases("text_folder", [](const Config& c) {
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

// Names relative to the folder.
Strings within(const Files& files, Strings paths) {
  for (std::string& path : paths) path = path.substr(files.folder.path().size() + 1);
  return paths;
}
template <class Args>
Args subsets_args(const Config& c) {
  Args args;
  args.batch_size = {};
  args.validation_split = 0.3;
  args.shuffle = c.find("config")->find("shuffle")->as_bool();
  if (const auto seed = number_of(*c.find("config"), "seed"))
    args.seed = static_cast<uint64_t>(*seed);
  return args;
}

TEST(GoldenDatasets, BothSubsetsAreKerass) {
  for_dataset_cases("image_subsets", [](const Config& c) {
    const Files files(c);
    const auto both =
        image_subsets_from_directory(files.folder.path(), subsets_args<ImageDatasetArgs>(c));
    EXPECT_EQ(within(files, both.training.file_paths), strings_of(c, "training"));
    EXPECT_EQ(within(files, both.validation.file_paths), strings_of(c, "validation"));
  });
  for_dataset_cases("text_subsets", [](const Config& c) {
    const Files files(c);
    const auto both =
        text_subsets_from_directory(files.folder.path(), subsets_args<TextDatasetArgs>(c));
    Strings training, validation;
    for (const auto& [text, label] : both.training.dataset) training.emplace_back(text.text());
    for (const auto& [text, label] : both.validation.dataset) validation.emplace_back(text.text());
    std::sort(training.begin(), training.end());
    EXPECT_EQ(training, strings_of(c, "training"));
    EXPECT_EQ(validation, strings_of(c, "validation"));
  });
}

}  // namespace
}  // namespace stoker
