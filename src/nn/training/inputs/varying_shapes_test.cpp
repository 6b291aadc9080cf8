#include <fmt/format.h>

#include "data/feeds/dataset_feed.h"
#include "device/scope.h"
#include "nn/model_impl.h"
#include "nn/test_models.h"
#include "stoker/callbacks/backup_and_restore.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/dataset.h"
#include "stoker/device.h"
#include "stoker/layers/conv.h"
#include "stoker/layers/embedding.h"
#include "stoker/layers/global_pooling.h"
#include "stoker/layers/reshaping.h"
#include "stoker/layers/rnn.h"
#include "support/fake_gpu.h"

// Datasets whose batches have different shapes.
namespace stoker {
namespace {

using namespace test;

constexpr int64_t words = 20;
const FitArgs quiet{.epochs = 3, .verbose = 0};

int64_t length_of(const Array& ids, const Array&) { return ids.length(); }

// Sentences of 3 to 12 words, and a class.
Dataset sentences(int64_t count = 40) {
  return Dataset::range(count).map([](const Array& number) {
    const auto n = static_cast<int64_t>(number.at(0));
    Array ids(DType::int32, Shape{3 + n * 7 % 10});
    for (int64_t i = 0; i < ids.length(); ++i)
      ids.mutable_data<int32_t>()[static_cast<size_t>(i)] =
          static_cast<int32_t>(1 + (n + i * i) % (words - 1));
    return std::pair(ids, Array::scalar(static_cast<int32_t>(n % classes)));
  });
}
Dataset padded() { return sentences().padded_batch(3); }
Dataset bucketed() { return sentences().bucket_by_sequence_length(length_of, {6, 9}, {8, 4, 2}); }

Sequential text_model(bool recurrent = false) {
  set_random_seed(3);
  Sequential model({layers::Embedding({.input_dim = words, .output_dim = 4}),
                    recurrent ? LayerRef(layers::LSTM({.units = 4}))
                              : LayerRef(layers::GlobalAveragePooling1D()),
                    layers::Dense({.units = classes, .activation = "softmax"})});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.05}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  model.predict_on_batch(Array(DType::int32, {1, 3}));  // draws its weights
  return model;
}

// The losses of the epochs of a hand-written loop.
std::vector<double> train_by_hand(Model& model, const Dataset& batches) {
  std::vector<double> losses;
  for (int64_t epoch = 0; epoch < quiet.epochs; ++epoch) {
    Logs logs;
    if (epoch > 0) model.reset_metrics();
    for (const Element& batch : batches)
      logs = model.train_on_batch(batch[0].array(), batch[1].array());
    losses.push_back(logs["loss"]);
  }
  return losses;
}

TEST(VaryingShapes, FitIsTheLoopOverTheSameBatches) {
  for (const bool recurrent : {false, true})
    for (const Dataset& batches : {padded(), bucketed(), bucketed().prefetch(2)}) {
      auto by_hand = text_model(recurrent), model = text_model(recurrent);
      const std::vector<double> want = train_by_hand(by_hand, batches);
      EXPECT_EQ(model.fit(batches, quiet)["loss"], want);
      EXPECT_EQ(difference(model.get_weights(), by_hand.get_weights()), 0);
    }
}

// A map does not tell how many rows a batch has: the first one has fewer than others.
TEST(VaryingShapes, AnyNumberOfRowsWhereItIsNotKnown) {
  const auto mapped = bucketed().map([](const Element& batch) { return batch; });
  auto by_hand = text_model(), model = text_model();
  const std::vector<double> want = train_by_hand(by_hand, mapped);
  EXPECT_EQ(model.fit(mapped, quiet)["loss"], want);
  EXPECT_EQ(difference(model.get_weights(), by_hand.get_weights()), 0);
  FitArgs weighted = quiet;
  weighted.class_weight = {{0, 2.0}};
  EXPECT_EQ(model.fit(bucketed(), weighted).epoch.size(), 3u);
}

TEST(VaryingShapes, ModelsMayDeclareThem) {
  set_random_seed(3);
  Sequential images({Input({.shape = {unknown, unknown, 3}}),
                     layers::Conv2D({.filters = 4, .kernel_size = 3, .activation = "relu"}),
                     layers::GlobalAveragePooling2D(), layers::Dense({.units = 1})});
  images.compile({.optimizer = "sgd", .loss = "mse"});
  const auto batches = Dataset::range(6).map([](const Array& number) {
    const auto n = static_cast<int64_t>(number.at(0));
    return std::pair(random_array({2, 5 + n % 3, 8 - n % 2, 3}, 1 + static_cast<uint64_t>(n)),
                     random_array({2, 1}));
  });
  EXPECT_EQ(images.fit(batches, quiet).epoch.size(), 3u);
  EXPECT_EQ(images.predict(batches).shape(), (Shape{12, 1}));
}

TEST(VaryingShapes, AGeneratorMayAnnounceThem) {
  const auto generated = [](const Shape& ids) {
    return Dataset::from_generator(
        []() -> Dataset::Generator {
          return [n = int64_t{0}]() mutable -> std::optional<Element> {
            if (n == 5) return std::nullopt;
            ++n;
            return Element{Array(DType::int32, {n, 2 + n}), Array(DType::int32, Shape{n})};
          };
        },
        {Structure::tuple({Structure(), Structure()}),
         {{DType::int32, ids}, {DType::int32, {unknown}}}});
  };
  auto model = text_model();
  EXPECT_EQ(model.fit(generated({unknown, unknown}), quiet).epoch.size(), 3u);
  EXPECT_EQ(model.predict(generated({unknown, unknown})).shape(), (Shape{15, classes}));
  EXPECT_ERROR(model.fit(generated({unknown, 3}), quiet), "element 1 of from_generator");
}

TEST(VaryingShapes, EvaluateAndPredictTakeThem) {
  auto model = text_model();
  FitArgs args = quiet;
  args.validation_data = bucketed();
  const History history = model.fit(padded(), args);
  const Logs logs = model.evaluate(bucketed(), {.verbose = 0});
  EXPECT_EQ(logs["loss"], history["val_loss"].back());
  model.reset_metrics();
  Logs by_hand;
  std::vector<Array> want;
  for (const Element& batch : bucketed()) {
    by_hand = model.test_on_batch(batch[0].array(), batch[1].array());
    want.push_back(model.predict_on_batch(batch[0].array()));
  }
  EXPECT_EQ(logs["loss"], by_hand["loss"]);
  const Array got = model.predict(bucketed());
  int64_t row = 0;
  for (const Array& batch : want) {
    EXPECT_EQ(difference(got.rows(row, row + batch.length()), batch), 0);
    row += batch.length();
  }
  EXPECT_EQ(got.length(), row);
}

TEST(VaryingShapes, PredictionsOfOneShapeAreAnArray) {
  Sequential tagger({layers::Embedding({.input_dim = words, .output_dim = 4}),
                     layers::Dense({.units = classes, .activation = "softmax"})});
  EXPECT_ERROR(tagger.predict(padded()), "output 0 is (");
  EXPECT_ERROR(tagger.predict(padded()), "pad all batches to one shape");
  const auto fixed = sentences().padded_batch(3, {.padded_shapes = {{12}, {}}});
  EXPECT_EQ(tagger.predict(fixed).shape(), (Shape{40, 12, classes}));
}

TEST(VaryingShapes, ALayerWhoseWeightsDependOnThemIsNamed) {
  set_random_seed(3);
  Sequential model({layers::Embedding({.input_dim = words, .output_dim = 4}), layers::Flatten(),
                    layers::Dense({.units = classes, .name = "on_all_words"})});
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  EXPECT_ERROR(model.fit(padded(), quiet), "on_all_words");
  EXPECT_ERROR(model.fit(padded(), quiet), "compiling the step for batch 2");
}

TEST(VaryingShapes, TypesAndRanksMayNot) {
  auto model = text_model();
  const auto changing = [](bool rank) {
    return Dataset::range(4).map([rank](const Array& i) {
      const bool other = i.at(0) == 2;
      return std::pair(Array(other && !rank ? DType::float32 : DType::int32,
                             other && rank ? Shape{4} : Shape{4, 5}),
                       Array(DType::int32, Shape{4}));
    });
  };
  EXPECT_ERROR(model.fit(changing(false), quiet), "the batch is (float32(4, 5), int32(4,)), but");
  EXPECT_ERROR(model.fit(changing(true), quiet), "the batch is (int32(4,), int32(4,)), but");
  EXPECT_ERROR(model.fit(changing(true), quiet), "are of any rows of int32(None,), int32()");
}

TEST(VaryingShapes, ARunGoesOnInsideAnEpoch) {
  auto whole = text_model();
  const auto batches = bucketed().shuffle(4);
  const History want = whole.fit(batches, quiet);
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
  EXPECT_THROW(text_model().fit(batches, args), Crash);
  args.callbacks = {backup};
  auto again = text_model();
  EXPECT_EQ(again.fit(batches, args).history, want.history);
  EXPECT_EQ(difference(again.get_weights(), whole.get_weights()), 0);
}

// Each has its own memory.
TEST(VaryingShapes, TheNumberOfCompiledStepsIsLimited) {
  constexpr int64_t shapes = exec::TracedStep::most_kept + 6;
  const auto lengthening = Dataset::range(shapes).map([](const Array& number) {
    return std::pair(Array(DType::int32, {1, 1 + static_cast<int64_t>(number.at(0))}),
                     Array(DType::int32, Shape{1}));
  });
  auto by_hand = text_model(), model = text_model();
  train_by_hand(by_hand, lengthening);
  model.fit(lengthening, quiet);
  EXPECT_EQ(difference(model.get_weights(), by_hand.get_weights()), 0);
  for (const auto& phase : model.impl().steps.phases)
    EXPECT_LE(phase.step->count(), exec::TracedStep::most_kept);
}

// Several processes sum over equal steps.
TEST(VaryingShapes, RanksNeedOneShape) {
  const Device host("/cpu:0");
  const Dataset batches = padded();
  const data::DatasetSource source(batches, {0, 1}, batches.element_spec());
  const device::Device device = device::current_device("test");
  for (const int64_t ranks : {1, 2}) {
    data::FeedPlan plan = source.plan(device);
    plan.division = {0, ranks};
    const auto feed = source.open(plan, device, {});
    feed->start(0);
    data::Batch batch;
    const auto read_all = [&] {
      while (feed->next(batch)) EXPECT_EQ(batch.types->size(), 2u);
    };
    if (ranks == 1)
      read_all();
    else
      EXPECT_ERROR(read_all(), "several processes need batches of one shape");
  }
}

class VaryingOnADevice : public stoker::testing::FakeGpu {
 protected:
  static std::pair<std::vector<double>, std::vector<Array>> fitted(const char* device,
                                                                   const Dataset& batches) {
    const Device scope(device);
    auto model = text_model();
    const History history = model.fit(batches, quiet);
    return {history["loss"], model.get_weights()};
  }
  static void expect_as_on_the_cpu(const Dataset& batches, const Dataset& same) {
    const auto [losses, weights] = fitted("/cpu:0", batches);
    const auto [got, there] = fitted("fake:0", same);
    EXPECT_EQ(got, losses);
    EXPECT_EQ(difference(there, weights), 0);
  }
};

// Slots grow while earlier batches are read from others.
TEST_F(VaryingOnADevice, TrainsAsOnTheCpu) {
  for (const Dataset& batches : {padded(), bucketed(), bucketed().shuffle(3, {.seed = 4})})
    expect_as_on_the_cpu(batches, batches);
}

// Steps of increasing sizes have memory of their own.
TEST_F(VaryingOnADevice, ReleasesStepsWhereThereIsNotMemoryForAll) {
  const auto lengthening = Dataset::range(16).map([](const Array& number) {
    const int64_t length = 25 * (1 + static_cast<int64_t>(number.at(0)));
    return std::pair(Array(DType::int32, {32, length}), Array(DType::int32, Shape{32}));
  });
  set_logical_device_configuration(gpu(), {{.memory_limit = 1}});
  expect_as_on_the_cpu(lengthening, lengthening);
}

TEST_F(VaryingOnADevice, CachesThemOnTheHost) {
  ::testing::internal::CaptureStderr();
  expect_as_on_the_cpu(padded(), padded().cache_on_device());
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("the batches have different shapes; they are cached in host memory"),
            std::string::npos)
      << said;
}

}  // namespace
}  // namespace stoker
