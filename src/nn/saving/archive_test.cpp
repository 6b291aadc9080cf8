#include "nn/saving/archive.h"

#include "io/archives/zip.h"
#include "nn/test_models.h"
#include "stoker/io.h"
#include "stoker/layers/batch_normalization.h"
#include "stoker/losses/huber.h"
#include "stoker/metrics/mean_absolute_error.h"
#include "stoker/optimizers/sgd.h"
#include "stoker/schedules/exponential_decay.h"

// Files written by Keras are tested in tests/golden_files_test.cpp.
namespace stoker {
namespace {

using namespace test;

// Copies the archive with one member replaced.
void rewrite(const std::string& from, const std::string& to, const std::string& member,
             const std::function<std::string(std::string)>& change) {
  const ZipReader zip(read_file(from));
  ZipWriter out(to);
  for (const auto& name : zip.names()) {
    std::string content(zip.read(name).text());
    if (name == member) content = change(content);
    out.add(name, {std::as_bytes(std::span(content))});
  }
  out.commit();
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const size_t at = text.find(old);
  if (at == text.npos) throw std::runtime_error("no " + old);
  return text.replace(at, old.size(), by);
}

TEST(Archive, BringsBackModelSettingsAndOptimizer) {
  const TemporaryFolder folder;
  const auto [x, y] = samples(40);
  auto model = classifier();
  model.fit(x, y, {.batch_size = 8, .epochs = 2, .verbose = 0});
  model.save(folder / "m.keras");
  Model loaded = load_model(folder / "m.keras");
  EXPECT_EQ(difference(loaded.get_weights(), model.get_weights()), 0);
  const auto states = model.optimizer().variables(), found = loaded.optimizer().variables();
  ASSERT_EQ(found.size(), states.size());
  for (size_t i = 0; i < states.size(); ++i)
    EXPECT_EQ(difference(found[i].array(), states[i].array()), 0) << states[i].name();
  EXPECT_EQ(loaded.to_config(), model.to_config());
  const FitArgs more{.batch_size = 8, .epochs = 1, .verbose = 0, .shuffle = false};
  model.fit(x, y, more);
  loaded.fit(x, y, more);
  EXPECT_EQ(difference(loaded.get_weights(), model.get_weights()), 0);
}

TEST(Archive, SettingsAreInKerasForm) {
  auto model = classifier();
  model.compile({.optimizer = optimizers::SGD(
                     {.learning_rate = schedules::ExponentialDecay(
                          {.initial_learning_rate = 0.1, .decay_steps = 5, .decay_rate = 0.5})}),
                 .loss = losses::Huber({.delta = 2}),
                 .metrics = {"accuracy", metrics::MeanAbsoluteError({.name = "error"})}});
  const Config config = model.get_compile_config();
  EXPECT_EQ(config.find("metrics")->as_list()[0], Config("accuracy"));
  EXPECT_EQ(config.find("metrics")->as_list()[1].find("class_name")->as_string(),
            "MeanAbsoluteError");
  EXPECT_EQ(config.find("loss")->find("module")->as_string(), "keras.losses");
  const Config& rate = *config.find("optimizer")->find("config")->find("learning_rate");
  EXPECT_EQ(rate.find("module")->as_string(), "keras.optimizers.schedules");
  auto other = classifier();
  other.compile_from_config(config);
  EXPECT_EQ(other.get_compile_config(), config);
}

TEST(Archive, ALearningRateThatMovedIsSaved) {
  auto model = classifier();
  model.optimizer().set_learning_rate(0.25);
  EXPECT_EQ(*model.get_compile_config().find("optimizer")->find("config")->find("learning_rate"),
            Config(0.25));
}

TEST(Archive, OverridesGoBeforeTheFilesSettings) {
  const TemporaryFolder folder;
  classifier().save(folder / "m.keras");
  const Model model =
      load_model(folder / "m.keras", {.compile_overrides = Config::map({{"optimizer", "sgd"}})});
  EXPECT_EQ(model.optimizer().class_name(), "SGD");
  EXPECT_FALSE(load_model(folder / "m.keras", {.compile = false}).compiled());
}

TEST(Archive, EverythingThatCannotBeHadIsSaidAtOnce) {
  const TemporaryFolder folder;
  classifier().save(folder / "m.keras");
  rewrite(folder / "m.keras", folder / "bad.keras", "config.json", [](const std::string& text) {
    return replaced(replaced(text, "\"Dense\"", "\"Lambda\""), "\"Adam\"", "\"Adamant\"");
  });
  const std::string error = error_of([&] { load_model(folder / "bad.keras"); });
  for (const char* part : {"bad.keras", "class Lambda is not supported", "compile_config/optimizer",
                           "unknown optimizer \"Adamant\""})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, error);
}

TEST(Archive, CodeOfOthersIsRefused) {
  auto model = classifier();
  Config config = model.get_compile_config();
  config["loss"] = Config::map({{"module", "os"},
                                {"class_name", "MeanSquaredError"},
                                {"config", Config::map()},
                                {"registered_name", "os>MeanSquaredError"}});
  EXPECT_ERROR(model.compile_from_config(config), "not Keras's");
}

TEST(Archive, WeightsThatDoNotFitAreNamedAndNothingIsLoaded) {
  const TemporaryFolder folder;
  classifier().save(folder / "m.keras");
  rewrite(folder / "m.keras", folder / "bad.keras", "config.json",
          [](const std::string& text) { return replaced(text, "\"units\": 8", "\"units\": 7"); });
  const std::string error = error_of([&] { load_model(folder / "bad.keras"); });
  for (const char* part : {"layers/dense/vars/0", "float32(6, 7) in the model",
                           "float32(6, 8) in the file", "layers/dense_1/vars/0"})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, error);
}

TEST(Archive, AFileCutAnywhereIsRefused) {
  const TemporaryFolder folder;
  classifier().save(folder / "m.keras");
  const Blob whole = read_file(folder / "m.keras");
  for (size_t size = 0; size < whole.size(); size += 97)
    EXPECT_THROW(nn::parse_model(whole.slice(0, size)), Error) << size;
}

TEST(Archive, AFullDiskLeavesTheOldFile) {
  auto model = classifier();
  EXPECT_ERROR(model.save("/dev/full/m.keras"), "m.keras");
  EXPECT_ERROR(model.save("m.npz"), "\".keras\"");
}

TEST(Archive, WeightsOfKerasLayoutComeBackWithTheOptimizer) {
  const TemporaryFolder folder;
  const auto [x, y] = samples(40);
  auto model = classifier(), other = classifier(0.01, 9);
  model.fit(x, y, {.epochs = 1, .verbose = 0});
  model.save_weights(folder / "m.weights.h5");
  other.load_weights(folder / "m.weights.h5");
  EXPECT_EQ(difference(other.get_weights(), model.get_weights()), 0);
  EXPECT_EQ(
      difference(other.optimizer().iterations().array(), model.optimizer().iterations().array()),
      0);
  Sequential wider({Input({.shape = {features}}), layers::Dense({.units = 9})});
  EXPECT_ERROR(wider.load_weights(folder / "m.weights.h5"), "\"layers/dense/vars/0");
  EXPECT_ERROR(load_model(folder / "m.weights.h5"), "holds weights, but no model");
}

}  // namespace
}  // namespace stoker
