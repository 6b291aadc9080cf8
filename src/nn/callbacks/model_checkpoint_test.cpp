#include "stoker/callbacks/model_checkpoint.h"

#include <fmt/format.h>

#include <fstream>

#include "ledger/ledger.h"
#include "nn/callbacks/test_play.h"
#include "nn/model_impl.h"
#include "stoker/callbacks/lambda_callback.h"

namespace stoker {
namespace {

using namespace test;

TEST(ModelCheckpoint, SavesWhatAnInterruptLeaves) {
  const TemporaryFolder folder;
  auto model = classifier(), restored = classifier();
  const auto data = samples(40);
  const auto stop =
      callbacks::LambdaCallback({.on_train_batch_end = [](int64_t, const Logs&) { interrupt(); }});
  const auto save = callbacks::ModelCheckpoint(
      {.filepath = folder / "last.safetensors", .save_weights_only = true});
  model.fit(data.x, data.y, {.batch_size = 4, .verbose = 0, .callbacks = {stop, save}});
  restored.load_weights(folder / "last.safetensors");
  EXPECT_EQ(difference(model.get_weights(), restored.get_weights()), 0);
}

// The loss is computed before the step that makes the weights NaN.
TEST(ModelCheckpoint, KeepsAGoodFileWhenTheLastBatchSpoilsTheWeights) {
  const TemporaryFolder folder;
  auto model = classifier();
  const auto data = samples(40);
  const auto save = callbacks::ModelCheckpoint(
      {.filepath = folder / "last.safetensors", .save_weights_only = true});
  const auto best = callbacks::ModelCheckpoint({.filepath = folder / "best.safetensors",
                                                .monitor = "loss",
                                                .save_best_only = true,
                                                .save_weights_only = true});
  model.fit(data.x, data.y, {.batch_size = 4, .verbose = 0, .callbacks = {save, best}});
  const auto good = model.get_weights();
  const auto spoil = [&](const std::function<void()>& then) {
    return callbacks::LambdaCallback(
        {.on_train_batch_end = [&model, then](int64_t batch, const Logs&) {
          if (batch == 9) {
            auto weights = model.get_weights();
            weights[0].mutable_data<float>()[1] = NAN;
            model.set_weights(weights);
            then();
          }
        }});
  };
  const auto expect_kept = [&](const std::function<void()>& then) {
    model.set_weights(good);
    const auto history = model.fit(
        data.x, data.y, {.batch_size = 4, .verbose = 0, .callbacks = {spoil(then), save, best}});
    ASSERT_TRUE(history["loss"].empty() || std::isfinite(history["loss"][0]));
    for (const char* file : {"last.safetensors", "best.safetensors"}) {
      auto restored = classifier();
      restored.load_weights(folder / file);
      EXPECT_EQ(difference(good, restored.get_weights()), 0) << file;
    }
  };
  expect_kept([] {});
  expect_kept([] { interrupt(); });
}

TEST(ModelCheckpoint, NamesFilesByEpochAndMetric) {
  const TemporaryFolder folder;
  Play play;
  play.run(
      callbacks::ModelCheckpoint({.filepath = folder / "new/{epoch:02d}-{val_loss:.2f}.safetensors",
                                  .save_weights_only = true}),
      {0.5, 0.125});
  auto restored = classifier();
  restored.load_weights(folder / "new/01-0.50.safetensors");
  EXPECT_EQ(restored.get_weights()[0].at(0), 0);
  restored.load_weights(folder / "new/02-0.12.safetensors");
  EXPECT_EQ(difference(restored.get_weights(), play.model.get_weights()), 0);
}

TEST(ModelCheckpoint, KeepsOnlyTheBest) {
  const TemporaryFolder folder;
  const auto best_of = [&](const std::vector<double>& values, std::optional<double> threshold) {
    Play play;
    const auto name = folder / fmt::format("{}.safetensors", values.size());
    play.run(callbacks::ModelCheckpoint({.filepath = name,
                                         .save_best_only = true,
                                         .save_weights_only = true,
                                         .initial_value_threshold = threshold}),
             values);
    if (!std::filesystem::exists(name)) return -1.0;
    play.model.load_weights(name);
    return play.weight();
  };
  EXPECT_EQ(best_of({NAN, 3, 1, 2}, {}), 2);
  EXPECT_EQ(best_of({3, 2}, 1.0), -1);
}

TEST(ModelCheckpoint, SavesEveryFewBatchesAndBooksItsTime) {
  const TemporaryFolder folder;
  auto model = classifier();
  const auto data = samples(20);
  const auto save = callbacks::ModelCheckpoint({.filepath = folder / "{epoch}-{batch}.safetensors",
                                                .save_weights_only = true,
                                                .save_freq = 3});
  model.fit(data.x, data.y, {.batch_size = 5, .epochs = 2, .verbose = 0, .callbacks = {save}});
  EXPECT_EQ(folder.files(), 2u);  // the third and the sixth of 8 batches
  EXPECT_TRUE(std::filesystem::exists(folder / "1-3.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(folder / "2-2.safetensors"));
  EXPECT_GT(model.impl().fits.last.ledger.total(ledger::Activity::checkpoint), 0);
}

TEST(ModelCheckpoint, SavesWholeModels) {
  const TemporaryFolder folder;
  auto model = classifier();
  const auto data = samples(20);
  const auto save = callbacks::ModelCheckpoint({.filepath = folder / "{epoch}.keras"});
  model.fit(data.x, data.y, {.epochs = 2, .verbose = 0, .callbacks = {save}});
  const Model saved = load_model(folder / "2.keras");
  EXPECT_EQ(difference(saved.get_weights(), model.get_weights()), 0);
  EXPECT_EQ(saved.optimizer().iterations().array().at(0),
            model.optimizer().iterations().array().at(0));
}

TEST(ModelCheckpoint, RefusesWhatItCannotDoBeforeTraining) {
  const TemporaryFolder folder;
  EXPECT_ERROR(callbacks::ModelCheckpoint({.filepath = "a.safetensors"}),
               "must end in .keras. Hint: or set save_weights_only");
  EXPECT_ERROR(callbacks::ModelCheckpoint({.filepath = "a.keras", .save_weights_only = true}),
               "must end in .weights.h5, .safetensors or .npz");
  EXPECT_ERROR(callbacks::ModelCheckpoint(
                   {.filepath = "a.safetensors", .save_weights_only = true, .save_freq = "day"}),
               "got \"day\"");
  auto model = classifier();
  const auto before = model.get_weights();
  const auto data = samples(8);
  std::ofstream(folder / "file") << "no folder";
  const auto fit_with = [&](const std::string& path) {
    model.fit(data.x, data.y,
              {.verbose = 0,
               .callbacks = {callbacks::ModelCheckpoint(
                   {.filepath = folder / path, .save_weights_only = true})}});
  };
  EXPECT_ERROR(fit_with("file/a.safetensors"), "cannot make the folder");
  EXPECT_EQ(difference(model.get_weights(), before), 0);
  EXPECT_ERROR(fit_with("{val_los}.safetensors"), "there is no \"val_los\"");
  EXPECT_ERROR(fit_with("{loss:q}.safetensors"), "has a bad format");
  EXPECT_ERROR(fit_with("{loss.safetensors"), "a { has no }");
}

}  // namespace
}  // namespace stoker
