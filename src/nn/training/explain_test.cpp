#include <filesystem>
#include <fstream>

#include "io/images/test_images.h"
#include "nn/test_models.h"
#include "stoker/callbacks/backup_and_restore.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/dataset.h"
#include "stoker/ignore_errors.h"
#include "stoker/image_dataset.h"
#include "stoker/ops/host_call.h"
#include "stoker/record_datasets.h"

namespace stoker {
namespace {

using namespace test;

constexpr int64_t count = 50;
const FitArgs quiet{.epochs = 3, .verbose = 0};

Sequential line() {
  set_random_seed(5);
  return Sequential({Input({.shape = {1}}), layers::Dense({.units = 1})});
}

// A model whose loss records the targets of every step.
struct Recorder {
  Recorder() {
    model.compile({.optimizer = optimizers::Adam(),
                   .loss = {[this](const Tensor& y_true, const Tensor& y_pred) {
                     return squared_error(ops::host_call(y_true, record), y_pred);
                   }}});
  }
  std::vector<Array> fed;
  HostFunction record{[this](const std::vector<Array>& y) {
    fed.push_back(y[0].clone());
    return y;
  }};
  Sequential model = line();
};

// x of element i is i; y is i plus a random number.
Element drawn(const Array& number, Random& random) {
  const auto i = static_cast<float>(number.at(0));
  return {Array::from<float>({i}, {1}), Array::from<float>({i + 0.9f * random.uniform()}, {1})};
}
Dataset numbers(int64_t calls = AUTOTUNE) {
  return Dataset::range(count).shuffle(count).map(drawn, {.num_parallel_calls = calls}).batch(8);
}

void expect_fed(const Dataset& dataset, const std::vector<Array>& fed, int64_t steps) {
  for (size_t i = 0; i < fed.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const ExplainedBatch batch = dataset.explain({.epoch = at / steps, .step = at % steps});
    ASSERT_EQ(difference(batch.element[1].array(), fed[i]), 0) << to_string(batch);
    ASSERT_EQ(static_cast<int64_t>(batch.samples.size()), fed[i].length());
    for (const SampleOrigin& sample : batch.samples)
      EXPECT_EQ(batch.element[0].array().at(sample.row), static_cast<double>(sample.number));
  }
}

TEST(Explain, MakesWhatFitFedAgain) {
  for (const int64_t calls : {int64_t{1}, AUTOTUNE}) {
    Recorder recorder;
    const Dataset dataset = numbers(calls);
    recorder.model.fit(dataset, quiet);
    ASSERT_EQ(recorder.fed.size(), 21u);
    expect_fed(dataset, recorder.fed, 7);
    recorder.fed.clear();
    recorder.model.fit(dataset, quiet);  // uses another seed
    expect_fed(dataset, recorder.fed, 7);
  }
}

// Stages that keep, choose, repeat or buffer elements, in one thread or several.
TEST(Explain, FindsSamplesThroughAllStagesThatKeepNumbers) {
  const Dataset range = Dataset::range(count);
  const auto serial = [](const Element& e) { return e; };
  const auto map_serially = [&](const Dataset& d) {
    return d.map(serial, {.num_parallel_calls = 1});
  };
  const std::vector<Dataset> all{
      map_serially(range.shuffle(count)).map(drawn).batch(8),
      map_serially(range).shuffle(9).map(drawn).prefetch(2).batch(8),
      map_serially(range).cache().shuffle(9).map(drawn).batch(8),
      range.shuffle(count).cache().map(drawn).batch(8).shuffle(3),
      range.skip(10).take(28).shard(2, 1).repeat(2).map(drawn).padded_batch(8),
      range.map(drawn).cache().shuffle(20).batch(8, {.drop_remainder = true}).prefetch(),
      range.take(20).concatenate(range.skip(20)).shuffle(4).map(drawn).batch(8),
  };
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    Recorder recorder;
    recorder.model.fit(all[i], quiet);
    expect_fed(all[i], recorder.fed, static_cast<int64_t>(recorder.fed.size()) / 3);
  }
}

// Elements of a generator, also behind a filter, cannot be addressed by index: the pass is replayed
// from its beginning, and every element reports its origin.
TEST(Explain, FindsSamplesWhereElementsComeOneAfterTheOther) {
  const Dataset range = Dataset::range(count);
  const auto kept = [](const Array& x) { return static_cast<int64_t>(x.at(0)) % 3 != 0; };
  const auto begin = [] {
    return [i = int64_t{0}]() mutable -> std::optional<Element> {
      if (i == count) return std::nullopt;
      return Element(Array::scalar(i++));
    };
  };
  const Dataset generated = Dataset::from_generator(begin, {.arrays = {{DType::int64, {}}}});
  const auto few = [](const Array& i) { return Dataset::range(static_cast<int64_t>(i.at(0)) % 4); };
  const std::vector<Dataset> all{
      range.shuffle(count).filter(kept).map(drawn).batch(8),
      range.filter(kept).shuffle(9).map(drawn).prefetch(2).batch(8),
      range.filter(kept).cache().map(drawn).shuffle(5).batch(8).prefetch(),
      generated.shuffle(20).map(drawn).batch(8, {.drop_remainder = true}),
      generated.concatenate(range.filter(kept)).repeat(2).map(drawn).padded_batch(8),
      generated.skip(3).take(30).map(drawn).batch(4).unbatch().batch(8),
      Dataset::choose_from_datasets({range, generated}, range.map([](const Array& i) {
        return Array::scalar(static_cast<int64_t>(i.at(0)) % 2);
      }))
          .map(drawn)
          .batch(8),
      ignore_errors(range.filter(kept)).interleave(few, {.cycle_length = 3}).map(drawn).batch(8),
  };
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    Recorder recorder;
    recorder.model.fit(all[i], quiet);
    ASSERT_FALSE(recorder.fed.empty());
    expect_fed(all[i], recorder.fed, static_cast<int64_t>(recorder.fed.size()) / 3);
  }
}

TEST(Explain, NamesTheFilesOfRecords) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.txt") << "0\n1\n2\n";
  std::ofstream(folder / "b.txt") << "3\n4\n";
  for (const int64_t reads : {1, 2}) {
    const Dataset lines =
        TextLineDataset({folder / "a.txt", folder / "b.txt"}, {.num_parallel_reads = reads});
    const ExplainedBatch batch = lines.batch(4).explain({.step = 1, .seed = 1});
    ASSERT_EQ(batch.samples.size(), 1u);
    const SampleOrigin& sample = batch.samples[0];
    EXPECT_EQ(sample.file, folder / (reads == 1 ? "b.txt" : "a.txt"));
    EXPECT_EQ(sample.number, reads == 1 ? 4 : 2);  // in all files, or in the interleaved file
  }
}

TEST(Explain, KnowsThatStepsPerEpochGoOnInTheData) {
  FitArgs args = quiet;
  args.steps_per_epoch = 3;
  for (const Dataset& dataset : {numbers(), numbers().repeat()}) {
    Recorder recorder;
    args.epochs = 2;  // 6 of the 7 batches of a pass
    recorder.model.fit(dataset, args);
    expect_fed(dataset, recorder.fed, 3);
  }
  Recorder recorder;
  args.epochs = 5;
  const Dataset dataset = numbers();
  recorder.model.fit(dataset, args);
  ASSERT_EQ(recorder.fed.size(), 3u + 3 + 1 + 3 + 3);  // the third epoch ends with the data
  const ExplainedBatch batch = dataset.explain({.epoch = 3, .step = 1});
  EXPECT_EQ(batch.pass, 1);
  EXPECT_EQ(difference(batch.element[1].array(), recorder.fed[8]), 0);
  EXPECT_THROW(dataset.explain({.epoch = 2, .step = 1}), InvalidArgument);
}

TEST(Explain, IsForCallbacksAndForRunsThatGoOn) {
  const TemporaryFolder folder;
  const Dataset dataset = numbers();
  FitArgs args = quiet;
  struct Crash {};
  Recorder first;
  const auto backup = callbacks::BackupAndRestore({.backup_dir = folder / "backup"});
  args.callbacks = {backup,
                    callbacks::LambdaCallback({.on_epoch_begin = [](int64_t epoch, const Logs&) {
                      if (epoch == 1) throw Crash();
                    }})};
  EXPECT_THROW(first.model.fit(dataset, args), Crash);
  Recorder second;
  set_random_seed(77);  // the fit continues with the first one's seed
  int64_t steps = 0;
  args.callbacks = {
      backup, callbacks::LambdaCallback({.on_train_batch_end = [&](int64_t step, const Logs&) {
        const auto batch = dataset.explain({.epoch = 1 + steps++ / 7, .step = step});
        EXPECT_EQ(difference(batch.element[1].array(), second.fed.back()), 0);
      }})};
  second.model.fit(dataset, args);
  EXPECT_EQ(steps, 14);
}

TEST(Explain, CountsTheMapThatClassWeightsAdd) {
  auto model = line();
  FitArgs args = quiet;
  args.class_weight = {{0, 1.0}};
  const Dataset dataset = Dataset::range(count)
                              .map([](const Array&, Random& random) {
                                return Element{Array::from<float>({random.uniform()}, {1}),
                                               Array::from<int32_t>({0}, {})};
                              })
                              .batch(8);
  model.compile({.loss = {[](const Tensor& y_true, const Tensor& y_pred) {
                   return squared_error(ops::cast(y_true, DType::float32), y_pred);
                 }}});
  model.fit(dataset, args);
  const auto explained = dataset.explain({.epoch = 1, .step = 2});
  EXPECT_EQ(explained.element[0].array().at(0), Random(explained.seed, 1, 16, 1).uniform());
}

TEST(Explain, NamesTheFilesOfImages) {
  const TemporaryFolder folder;
  for (const char* name : {"cats/a.png", "cats/b.png", "dogs/c.png"}) {
    std::filesystem::create_directories(std::filesystem::path(folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << images::seed("png/rgb").text();
  }
  const auto images =
      image_dataset_from_directory(folder / "", {.batch_size = 2, .image_size = {4, 4}, .seed = 3});
  const ExplainedBatch batch = images.dataset.explain({.epoch = 2, .step = 0, .seed = 1});
  ASSERT_EQ(batch.samples.size(), 2u);
  for (const SampleOrigin& sample : batch.samples) {
    const std::string& file = images.file_paths[static_cast<size_t>(sample.number)];
    EXPECT_EQ(sample.file, file);
    EXPECT_EQ(batch.element[1].array().at(sample.row), file.find("cats") == std::string::npos);
    EXPECT_NE(to_string(batch).find(file), std::string::npos);
  }
}

TEST(Explain, SaysWhatItCannotDo) {
  const auto says = [](const Dataset& dataset, const ExplainArgs& args, const std::string& words) {
    try {
      dataset.explain(args);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  says(numbers(), {}, "no fit was over the dataset");
  says(numbers(), {.step = 7, .seed = 1}, "epoch 0 has no step 7");
  says(numbers(), {.step = -1, .seed = 1}, "got epoch 0 and step -1");
  says(Dataset::range(9).map(drawn, {.num_parallel_calls = 2, .deterministic = false}), {.seed = 1},
       "different order in every run");
}

}  // namespace
}  // namespace stoker
