#include "nn/test_models.h"
#include "stoker/callbacks/backup_and_restore.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/dataset.h"
#include "stoker/device.h"
#include "stoker/layers/lookup.h"
#include "support/fake_gpu.h"

namespace stoker {
namespace {

using namespace test;

const FitArgs quiet{.batch_size = 8, .epochs = 3, .verbose = 0, .shuffle = false};

Dataset batches(const Samples& data) {
  return Dataset::from_tensor_slices({data.x, data.y}).batch(8);
}
// The same batches; their number is unknown.
Dataset of_unknown_length(const Samples& data) {
  return Dataset::from_tensor_slices({data.x, data.y})
      .filter([](const Element&) { return true; })
      .batch(8);
}

void expect_alike(const History& got, const History& want, const Model& a, const Model& b) {
  EXPECT_EQ(got.history, want.history);
  EXPECT_EQ(got.epoch, want.epoch);
  EXPECT_EQ(difference(a.get_weights(), b.get_weights()), 0);
}

TEST(FitOfADataset, IsFitOfItsArrays) {
  const auto data = samples(50);
  auto arrays = classifier();
  const History want = arrays.fit(data.x, data.y, quiet);
  for (const Dataset& dataset :
       {batches(data), of_unknown_length(data), batches(data).prefetch()}) {
    auto model = classifier();
    const History got = model.fit(dataset, quiet);
    expect_alike(got, want, model, arrays);
  }
}

TEST(FitOfADataset, ShufflesByTheSeedAndTheEpoch) {
  const auto data = samples(50);
  const auto shuffled = Dataset::from_tensor_slices({data.x, data.y}).shuffle(50).batch(8);
  auto one = classifier();
  const History first = one.fit(shuffled, quiet);
  auto two = classifier();
  expect_alike(two.fit(shuffled, quiet), first, two, one);
  EXPECT_NE(classifier().fit(batches(data), quiet).history, first.history);
}

TEST(FitOfADataset, ValidatesWithADatasetAsWithItsArrays) {
  const auto data = samples(50), held = samples(20, 9);
  FitArgs args = quiet;
  args.validation_data = {held.x, held.y};
  auto arrays = classifier();
  const History want = arrays.fit(data.x, data.y, args);
  EXPECT_EQ(want["val_loss"].size(), 3u);
  auto mixed = classifier();
  expect_alike(mixed.fit(batches(data), args), want, mixed, arrays);
  args.validation_data = of_unknown_length(held);
  auto model = classifier();
  expect_alike(model.fit(batches(data), args), want, model, arrays);
}

TEST(FitOfADataset, WeighsSamplesAndClasses) {
  const auto data = samples(50);
  Array weights(DType::float32, Shape{50});
  for (size_t i = 0; i < 50; ++i) weights.mutable_data<float>()[i] = i % 3 == 0 ? 2.0f : 0.5f;
  FitArgs args = quiet;
  args.sample_weight = weights;
  auto arrays = classifier();
  const History want = arrays.fit(data.x, data.y, args);
  auto model = classifier();
  const auto weighed = Dataset::from_tensor_slices({data.x, data.y, weights}).batch(8);
  expect_alike(model.fit(weighed, quiet), want, model, arrays);

  FitArgs classes_weighed = quiet;
  classes_weighed.class_weight = {{0, 3.0}, {2, 0.25}};
  auto by_class = classifier(), of_dataset = classifier();
  const History wanted = by_class.fit(data.x, data.y, classes_weighed);
  expect_alike(of_dataset.fit(batches(data), classes_weighed), wanted, of_dataset, by_class);
}

TEST(FitOfADataset, TakesInputsByTheirNames) {
  set_random_seed(3);
  const Tensor a = Input({.shape = {2}, .name = "a"}), b = Input({.shape = {4}, .name = "b"});
  const auto make = [&] {
    set_random_seed(3);
    Model model({.inputs = {a, b},
                 .outputs = {layers::Dense({.units = 1})(a) + layers::Dense({.units = 1})(b)}});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    return model;
  };
  const Array x = random_array({20, 2}), z = random_array({20, 4}, 2), y = random_array({20, 1}, 3);
  auto arrays = make();
  const History want = arrays.fit({x, z}, y, quiet);
  auto model = make();
  const auto named =
      Dataset::from_tensor_slices({Element::table({{"b", z}, {"a", x}}), y}).batch(8);
  expect_alike(model.fit(named, quiet), want, model, arrays);
  const auto misnamed =
      Dataset::from_tensor_slices({Element::table({{"b", z}, {"c", x}}), y}).batch(8);
  try {
    model.fit(misnamed, quiet);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("have no input \"a\", only b, c"), std::string::npos)
        << error.what();
  }
}

// Row 1 of batch 2, or sample 17 of arrays.
TEST(FitOfADataset, RefusesLabelsOutsideTheClasses) {
  auto bad = samples(50);
  bad.y.mutable_data<int32_t>()[17] = 3;
  auto model = classifier();
  EXPECT_ERROR(model.fit(of_unknown_length(bad), quiet), "row 1 has label 3, but output 0");
  EXPECT_ERROR(model.fit(of_unknown_length(bad), quiet), "element 2 of batch, created");
  EXPECT_ERROR(model.fit(batches(bad), quiet), "sample 17 has label 3, but output 0");
  EXPECT_ERROR(model.evaluate(of_unknown_length(bad), {.verbose = 0}), "row 1 has label 3");
  FitArgs args = quiet;
  args.validation_data = of_unknown_length(bad);
  EXPECT_ERROR(model.fit(of_unknown_length(samples(50)), args), "row 1 has label 3");
  model.fit(of_unknown_length(samples(50)), quiet);
}

TEST(FitOfADataset, WithoutEndNeedsStepsPerEpoch) {
  const auto data = samples(48);
  auto model = classifier();
  EXPECT_THROW(model.fit(batches(data).repeat(), quiet), InvalidArgument);
  FitArgs args = quiet;
  args.steps_per_epoch = 6;
  auto arrays = classifier(), endless = classifier();
  const History want = arrays.fit(data.x, data.y, quiet);
  expect_alike(endless.fit(batches(data).repeat(), args), want, endless, arrays);
}

TEST(FitOfADataset, GoesOnInsideAnEpochExactly) {
  const auto data = samples(60);
  for (const bool known : {true, false}) {
    const auto source = Dataset::from_tensor_slices({data.x, data.y});
    const auto dataset =
        (known ? source : source.filter([](const Element&) { return true; })).shuffle(40).batch(8);
    auto whole = classifier();
    const History want = whole.fit(dataset, quiet);
    const TemporaryFolder folder;
    const auto backup =
        callbacks::BackupAndRestore({.backup_dir = folder / "backup", .save_freq = 2});
    struct Crash {};
    int64_t epoch = 0;
    FitArgs args = quiet;
    args.callbacks = {backup, callbacks::LambdaCallback(
                                  {.on_epoch_begin = [&](int64_t now, const Logs&) { epoch = now; },
                                   .on_train_batch_end =
                                       [&](int64_t batch, const Logs&) {
                                         if (epoch == 1 && batch == 5) throw Crash();
                                       }})};
    EXPECT_THROW(classifier().fit(dataset, args), Crash);
    args.callbacks = {backup};
    auto again = classifier();
    expect_alike(again.fit(dataset, args), want, again, whole);
  }
}

// Resuming from a checkpoint at the end of an epoch reads none of its elements.
TEST(FitOfADataset, GoesOnBetweenEpochsWithoutReadingTheLastOne) {
  const auto data = samples(40);
  int64_t made = 0;
  const auto dataset = Dataset::from_tensor_slices({data.x, data.y})
                           .filter([&made](const Element&) { return ++made > 0; })
                           .batch(8);
  const TemporaryFolder folder;
  const auto backup = callbacks::BackupAndRestore({.backup_dir = folder / "backup"});
  struct Crash {};
  FitArgs args = quiet;
  args.callbacks = {backup,
                    callbacks::LambdaCallback({.on_epoch_begin = [](int64_t epoch, const Logs&) {
                      if (epoch == 2) throw Crash();
                    }})};
  EXPECT_THROW(classifier().fit(dataset, args), Crash);
  made = 0;
  args.callbacks = {backup};
  classifier().fit(dataset, args);
  EXPECT_EQ(made, 40);
}

TEST(FitOfADataset, KnowsWhatItsStagesDid) {
  const auto data = samples(64);
  auto model = classifier();
  const auto dataset = Dataset::from_tensor_slices({data.x, data.y})
                           .map([](const Element& e) { return e; })
                           .batch(8)
                           .shuffle(4);
  for (int again = 0; again < 2; ++again) model.fit(dataset, quiet);
  const PipelineStatistics& input = model.input_statistics();
  ASSERT_EQ(input.stages.size(), 5u);
  EXPECT_EQ(input.stages[1].name, "map");
  EXPECT_EQ(input.stages[1].elements, 3 * (64 + 1));  // one to determine the type of a row
  EXPECT_EQ(input.stages[2].elements, 3 * 8);
  EXPECT_GT(input.stages[1].seconds_per_element, 0);
  EXPECT_EQ(input.stages[4].where, "added by fit");
  EXPECT_EQ(input.taken, 3 * 8);
  ASSERT_EQ(input.notes.size(), 2u);
  EXPECT_NE(input.notes[0].find("shuffles whole batches"), std::string::npos);
  EXPECT_NE(input.notes[1].find("as if prefetch(AUTOTUNE) were behind shuffle"), std::string::npos);
  model.fit(dataset.prefetch(), quiet);
  EXPECT_EQ(model.input_statistics().notes.size(), 1u);
}

TEST(FitOfADataset, SaysWhatIsWrong) {
  const auto data = samples(20);
  auto model = classifier();
  const auto says = [&](const Dataset& dataset, const FitArgs& args, const std::string& words) {
    try {
      model.fit(dataset, args);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  says(Dataset::from_tensor_slices(data.x).batch(4), quiet, "without targets");
  says(Dataset::from_tensor_slices({data.x, data.y}), quiet, "not a batch of samples");
  says(Dataset::from_tensor_slices({data.x, data.y, data.y, data.y}).batch(4), quiet,
       "has 4 parts");
  FitArgs split = quiet;
  split.validation_split = 0.2;
  says(batches(data), split, "validation_split is for arrays");
  const auto changing = Dataset::range(6).map([](const Array& i) {
    return std::pair(Array(DType::float32, {4, features + (i.at(0) == 3 ? 1 : 0)}),
                     Array(DType::int32, Shape{4}));
  });
  says(changing, quiet, "expects input 0 of shape (None, 6), got (4, 7)");
  const auto words =
      layers::string_ids(std::vector<std::string>(20 * features, "a"), {20, features});
  says(Dataset::from_tensor_slices({words, data.y}).batch(4), quiet, "holds strings");
}

class DatasetOnADevice : public stoker::testing::FakeGpu {};

// Batches are copied to slots concurrently with the steps; the results equal the CPU's.
TEST_F(DatasetOnADevice, TrainsAsOnTheCpu) {
  const auto data = samples(50);
  const auto fitted = [&](const char* device) {
    const Device scope(device);
    auto model = classifier();
    const History history = model.fit(Dataset::from_tensor_slices({data.x, data.y})
                                          .shuffle(50, {.seed = 4})
                                          .map([](const Element& element) { return element; })
                                          .batch(8),
                                      quiet);
    return std::pair(history.history, model.get_weights());
  };
  const auto [history, weights] = fitted("/cpu:0");
  const auto copied = control.async_copies;
  const auto [got, there] = fitted("fake:0");
  EXPECT_EQ(got, history);
  EXPECT_EQ(difference(there, weights), 0);
  EXPECT_EQ(control.async_copies - copied, 3 * 7 * 2);  // epochs, batches, columns
}

// A dataset that is only rows of arrays is fed from the arrays on the device.
TEST_F(DatasetOnADevice, HoldsRowsOfArrays) {
  const auto data = samples(50);
  const auto slices = Dataset::from_tensor_slices({data.x, data.y}).shuffle(50, {.seed = 4});
  auto through = classifier(), rows = classifier();
  through.fit(slices.map([](const Element& element) { return element; }).batch(8), quiet);
  control.async_copies = 0;
  for (const Dataset& dataset : {slices.batch(8), slices.prefetch(3).batch(8).prefetch()}) {
    rows = classifier();
    rows.fit(dataset, quiet);
    EXPECT_EQ(difference(rows.get_weights(), through.get_weights()), 0);
    EXPECT_GE(rows.input_statistics().stages.size(), 3u);
  }
  EXPECT_EQ(control.async_copies, 0);
  const auto dropping = slices.batch(8, {.drop_remainder = true});
  rows = classifier();
  EXPECT_EQ(rows.fit(dropping, quiet).epoch.size(), 3u);
  EXPECT_EQ(control.async_copies, 3 * 6 * 2) << "not all rows";
}

TEST(EvaluateAndPredict, TakeDatasets) {
  const auto data = samples(50);
  auto model = classifier();
  model.fit(data.x, data.y, quiet);
  const Logs want = model.evaluate(data.x, data.y, {.batch_size = 8, .verbose = 0});
  const Array predicted = model.predict(data.x, {.batch_size = 8});
  for (const Dataset& dataset : {batches(data), of_unknown_length(data)}) {
    const Logs got = model.evaluate(dataset, {.verbose = 0});
    EXPECT_EQ(got["loss"], want["loss"]);
    EXPECT_EQ(got["accuracy"], want["accuracy"]);
    EXPECT_EQ(difference(model.predict(dataset), predicted), 0);
  }
  EXPECT_EQ(difference(model.predict(Dataset::from_tensor_slices(data.x).batch(8)), predicted), 0);
}

}  // namespace
}  // namespace stoker
