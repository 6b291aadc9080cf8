#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "data/stage.h"
#include "io/atomic_file.h"
#include "io/test_files.h"
#include "stoker/csv_dataset.h"
#include "stoker/io.h"
#include "stoker/text_dataset.h"
#include "stoker/timeseries_dataset.h"

namespace stoker {
namespace {

using Strings = std::vector<std::string>;
using Numbers = std::vector<double>;

Numbers numbers(const Array& array) {
  Numbers all;
  for (int64_t i = 0; i < array.size(); ++i) all.push_back(array.at(i));
  return all;
}

struct Table {
  Table() {
    write_file(folder / "a.csv", "id,name,size\n1,cat,1.5\n2,\"dog, old\",\n");
    write_file(folder / "b.csv", "id,name,size\n3,,2.5\n,mouse,3\n");
  }
  TemporaryFolder folder;
  const CsvDatasetArgs once{.num_epochs = 1, .shuffle = false};
};

TEST(CsvDataset, GivesBatchesOfColumnsByName) {
  const Table table;
  const auto dataset = make_csv_dataset(table.folder / "*.csv", 3, table.once);
  EXPECT_EQ(to_string(dataset.element_spec()),
            "{id: int64(None,), name: string(None,), size: float32(None,)}");
  const auto batches = dataset.as_list();
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(numbers(batches[0]["id"]), (Numbers{1, 2, 3}));
  EXPECT_EQ(batches[0]["name"].array().texts(), (Strings{"cat", "dog, old", ""}));
  EXPECT_EQ(numbers(batches[0]["size"]), (Numbers{1.5, 0, 2.5}));
  EXPECT_EQ(numbers(batches[1]["id"]), (Numbers{0}));
}

// As single rows into a shuffle, and as rows of a batch.
TEST(CsvDataset, ReadingIsMeasured) {
  const Table table;
  for (const bool shuffle : {false, true}) {
    const auto dataset =
        make_csv_dataset(table.folder / "a.csv", 3, {.num_epochs = 1, .shuffle = shuffle});
    EXPECT_EQ(dataset.as_list().size(), 1u);
    const StageStatistics source = dataset.statistics().stages.front();
    EXPECT_EQ(source.name, "make_csv_dataset");
    EXPECT_GE(source.elements, 2);
    EXPECT_GT(source.seconds_per_element, 0);
  }
}

TEST(CsvDataset, HasLabelsDefaultsAndSelections) {
  const Table table;
  auto args = table.once;
  args.select_columns = {"id", "size"};
  args.column_defaults = {int64_t{-1}, 9.5};
  args.label_name = "id";
  const auto dataset = make_csv_dataset(table.folder / "*.csv", 4, args);
  EXPECT_EQ(to_string(dataset.element_spec()), "({size: float32(None,)}, int64(None,))");
  const auto batch = dataset.as_list().at(0);
  EXPECT_EQ(numbers(batch[0]["size"]), (Numbers{1.5, 9.5, 2.5, 3}));
  EXPECT_EQ(numbers(batch[1]), (Numbers{1, 2, 3, -1}));
  args.column_defaults = {CsvType::int64, CsvType::string};
  EXPECT_ERROR(make_csv_dataset(table.folder / "*.csv", 4, args).as_list(), "b.csv:3");
  EXPECT_ERROR(make_csv_dataset(table.folder / "*.csv", 4, args).as_list(),
               "element 3 of make_csv_dataset");
}

TEST(CsvDataset, TakesNamesFromTheArguments) {
  const Table table;
  auto args = table.once;
  args.column_names = {"n", "who", "cm"};
  const auto renamed = make_csv_dataset(table.folder / "a.csv", 2, args).as_list().at(0);
  EXPECT_EQ(numbers(renamed["n"]), (Numbers{1, 2}));
  write_file(table.folder / "c.txt", "5;x;\n6;y;7\n");
  args.header = false;
  args.field_delim = ';';
  const auto bare = make_csv_dataset(table.folder / "c.txt", 2, args).as_list().at(0);
  EXPECT_EQ(numbers(bare["n"]), (Numbers{5, 6}));
  EXPECT_EQ(numbers(bare["cm"]), (Numbers{0, 7}));
}

// As in tf.data.
TEST(CsvDataset, ReadsQuotesAsCharacters) {
  const TemporaryFolder folder;
  write_file(folder / "q.csv", "a,\"b\"\n1,\"x\n2,y\"\n");
  CsvDatasetArgs args{.use_quote_delim = false, .num_epochs = 1, .shuffle = false};
  const auto rows = make_csv_dataset(folder / "q.csv", 2, args).get_single_element();
  EXPECT_EQ(numbers(rows["a"]), (Numbers{1, 2}));
  EXPECT_EQ(rows["\"b\""].array().texts(), (Strings{"\"x", "y\""}));
  args.encoding = "latin-1";
  EXPECT_ERROR(make_csv_dataset(folder / "q.csv", 2, args), "the encoding \"latin-1\"");
}

TEST(CsvDataset, ShufflesAndRepeats) {
  const Table table;
  const auto endless =
      make_csv_dataset(table.folder / "*.csv", 2, {.na_value = "?", .shuffle_seed = 5});
  EXPECT_EQ(endless.cardinality(), INFINITE_CARDINALITY);
  std::map<double, int> seen;
  Numbers order;
  for (const Element& batch : endless.take(10))
    for (const double id : numbers(batch["id"])) ++seen[id], order.push_back(id);
  EXPECT_EQ(seen, (std::map<double, int>{{0, 5}, {1, 5}, {2, 5}, {3, 5}}));
  EXPECT_NE(Numbers(order.begin(), order.begin() + 4),
            Numbers(order.begin() + 4, order.begin() + 8));
}

TEST(CsvDataset, RefusesWhatDoesNotFit) {
  const Table table;
  auto args = table.once;
  args.label_name = "nam";
  EXPECT_ERROR(make_csv_dataset(table.folder / "*.csv", 1, args), "did you mean \"name\"");
  args = table.once;
  args.column_names = {"a"};
  EXPECT_ERROR(make_csv_dataset(table.folder / "*.csv", 1, args), "1 column_names");
  args = table.once;
  args.header = false;
  EXPECT_ERROR(make_csv_dataset(table.folder / "*.csv", 1, args), "need column_names");
  write_file(table.folder / "b.csv", "id,name,weight\n1,x,2\n");
  EXPECT_ERROR(make_csv_dataset(table.folder / "*.csv", 1, table.once).as_list(),
               "has the columns id, name, weight");
}

TEST(Timeseries, GivesSequencesAndTargets) {
  const Array data = Array::from<float>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {10});
  const Array targets = Array::from<int32_t>({0, 10, 20, 30, 40, 50, 60, 70, 80, 90}, {10});
  const auto batches =
      timeseries_dataset_from_array(
          data, targets, 3,
          {.sequence_stride = 2, .sampling_rate = 2, .batch_size = 2, .start_index = 1})
          .as_list();
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(to_string(spec_of(batches[0])), "(float32(2, 3), int32(2,))");
  EXPECT_EQ(numbers(batches[0][0]), (Numbers{1, 3, 5, 3, 5, 7}));
  EXPECT_EQ(numbers(batches[0][1]), (Numbers{10, 30}));
  EXPECT_EQ(numbers(batches[1][0]), (Numbers{5, 7, 9}));
  const auto alone = timeseries_dataset_from_array(data.reshape({5, 2}), {}, 2,
                                                   {.batch_size = {}, .end_index = 4});
  EXPECT_EQ(alone.cardinality(), 3);
  EXPECT_EQ(to_string(alone.element_spec()), "float32(2, 2)");
  EXPECT_EQ(numbers(alone.as_list()[2]), (Numbers{4, 5, 6, 7}));
  EXPECT_EQ(
      timeseries_dataset_from_array(data, targets.rows(0, 2), 3, {.batch_size = {}}).cardinality(),
      2);
}

TEST(Timeseries, ShufflesAllSequences) {
  const Array data = Array::from<float>({0, 1, 2, 3, 4, 5, 6, 7}, {8});
  Numbers firsts;
  for (const Element& sequence :
       timeseries_dataset_from_array(data, {}, 2, {.batch_size = {}, .shuffle = true, .seed = 1}))
    firsts.push_back(sequence.array().at(0));
  EXPECT_FALSE(std::is_sorted(firsts.begin(), firsts.end()));
  std::sort(firsts.begin(), firsts.end());
  EXPECT_EQ(firsts, (Numbers{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Timeseries, RefusesWhatCannotBe) {
  const Array data = Array::from<float>({0, 1, 2}, {3});
  EXPECT_ERROR(timeseries_dataset_from_array(data, {}, 4), "sequence_length must be in [1, 3]");
  EXPECT_ERROR(timeseries_dataset_from_array(data, {}, 1, {.sampling_rate = 0}), "sampling_rate");
  EXPECT_ERROR(timeseries_dataset_from_array(data, {}, 1, {.start_index = 3}), "start_index");
  EXPECT_ERROR(timeseries_dataset_from_array(Array::scalar(1.0f), {}, 1), "float32()");
}

struct Reviews {
  Reviews() {
    for (const char* name : {"bad/1.txt", "good/a.txt", "good/b.txt", "good/more/c.txt"}) {
      const std::filesystem::path path = folder / name;
      std::filesystem::create_directories(path.parent_path());
      write_file(path.string(), "text of " + std::string(name));
    }
    write_file(folder / "good/no.csv", "x");
  }
  TemporaryFolder folder;
};

TEST(TextFolder, GivesTextsAndLabels) {
  const Reviews reviews;
  const auto texts = text_dataset_from_directory(
      reviews.folder.path(), {.batch_size = 3, .max_length = 12, .shuffle = false});
  EXPECT_EQ(texts.class_names, (Strings{"bad", "good"}));
  EXPECT_EQ(to_string(texts.dataset.element_spec()), "(string(None,), int32(None,))");
  const auto batches = texts.dataset.as_list();
  EXPECT_EQ(batches.at(0)[0].array().texts(),
            (Strings{"text of bad/", "text of good", "text of good"}));
  EXPECT_EQ(numbers(batches[0][1]), (Numbers{0, 1, 1}));
  const auto hot = text_dataset_from_directory(
      reviews.folder.path(), {.label_mode = "categorical", .batch_size = 4, .shuffle = false});
  EXPECT_EQ(numbers(hot.dataset.as_list().at(0)[1]), (Numbers{1, 0, 0, 1, 0, 1, 0, 1}));
  const auto alone =
      text_dataset_from_directory(reviews.folder.path(), {.labels = "none", .batch_size = {}});
  EXPECT_EQ(to_string(alone.dataset.element_spec()), "string()");
}

TEST(TextFolder, SplitsWithoutOverlap) {
  const Reviews reviews;
  TextDatasetArgs args{.batch_size = {}, .seed = 3, .validation_split = 0.5};
  Strings all;
  for (const char* subset : {"training", "validation"}) {
    args.subset = subset;
    const auto part = text_dataset_from_directory(reviews.folder.path(), args);
    EXPECT_EQ(part.dataset.cardinality(), 2);
    for (const Element& element : part.dataset) all.emplace_back(element[0].array().text());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (Strings{"text of bad/1.txt", "text of good/a.txt", "text of good/b.txt",
                          "text of good/more/c.txt"}));
  std::filesystem::remove_all(reviews.folder / "good");
  EXPECT_ERROR(text_dataset_from_directory(reviews.folder.path(), args), "no file of 1");
}

TEST(MappedArrays, AreTheFilesPages) {
  const TemporaryFolder folder;
  const Array x = Array::from<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  save_npy(folder / "x.npy", x);
  save_npz(folder / "x.npz", {{"x", x}, {"y", x.rows(0, 1)}});
  for (const std::string& path : {folder / "x.npy", (folder / "x.npz") + ":x"}) {
    Array mapped = load_array(path, {.mmap = true});
    EXPECT_EQ(numbers(mapped), numbers(x)) << path;
    mapped.mutable_data<float>()[0] = 9;  // stays in memory
    EXPECT_EQ(numbers(load_array(path, {.mmap = true})), numbers(x));
  }
  const Array mapped = load_array(folder / "x.npy", {.mmap = true});
  std::filesystem::remove(folder / "x.npy");
  Numbers rows;
  for (const Element& row : Dataset::from_tensor_slices(mapped)) rows.push_back(row.array().at(1));
  EXPECT_EQ(rows, (Numbers{2, 4, 6}));
  EXPECT_ERROR(load_array(folder / "none.npy", {.mmap = true}), "cannot read");
  EXPECT_ERROR(load_array(folder.path(), {.mmap = true}), "a folder");
}

}  // namespace
}  // namespace stoker
