#include <fstream>
#include <sstream>

#include "nn/callbacks/test_play.h"
#include "stoker/callbacks/csv_logger.h"
#include "stoker/callbacks/early_stopping.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/callbacks/learning_rate_scheduler.h"
#include "stoker/callbacks/reduce_lr_on_plateau.h"
#include "stoker/callbacks/terminate_on_nan.h"
#include "stoker/device.h"
#include "stoker/metrics/auc.h"
#include "stoker/metrics/mean_squared_error.h"

namespace stoker {
namespace {

using namespace test;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(EarlyStopping, StopsAfterPatienceAndRestoresTheBest) {
  Play play;
  play.run(callbacks::EarlyStopping({.patience = 2, .restore_best_weights = true}),
           {3, 1, 2, 2, 0});
  EXPECT_EQ(play.epochs, 4);
  EXPECT_EQ(play.weight(), 1);
}

TEST(EarlyStopping, RestoresTheBestEvenIfNotStopped) {
  Play play;
  play.run(callbacks::EarlyStopping({.patience = 5, .restore_best_weights = true}), {3, 1, 2});
  EXPECT_EQ(play.epochs, 3);
  EXPECT_EQ(play.weight(), 1);
  play.run(callbacks::EarlyStopping({.patience = 5}), {3, 1, 2});
  EXPECT_EQ(play.weight(), 2);
}

TEST(EarlyStopping, NaNIsNeverTheBest) {
  Play play;
  play.run(callbacks::EarlyStopping({.patience = 3, .restore_best_weights = true}),
           {NAN, 2, NAN, 1, NAN, 3});
  EXPECT_EQ(play.epochs, 6);
  EXPECT_EQ(play.weight(), 3);
}

TEST(EarlyStopping, FollowsModeDeltaBaselineAndStart) {
  Play play;
  play.metric = "val_accuracy";  // auto: larger is better
  play.run(callbacks::EarlyStopping({.monitor = "val_accuracy", .patience = 1}), {.1, .2, .3, .2});
  EXPECT_EQ(play.epochs, 4);
  play.run(callbacks::EarlyStopping({.monitor = "val_accuracy", .patience = 1, .mode = "min"}),
           {.1, .2, .3, .2});
  EXPECT_EQ(play.epochs, 2);
  play.metric = "val_loss";
  play.run(callbacks::EarlyStopping({.min_delta = 0.5, .patience = 2}), {3, 2.8, 2.6, 1});
  EXPECT_EQ(play.epochs, 3);
  play.run(callbacks::EarlyStopping({.patience = 2, .baseline = 1}), {5, 4, 4.5, 2});
  EXPECT_EQ(play.epochs, 3);
  play.run(callbacks::EarlyStopping({.patience = 1, .start_from_epoch = 3}), {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(play.epochs, 5);
  EXPECT_ERROR(callbacks::EarlyStopping({.mode = "mim"}), "did you mean \"min\"?");
}

TEST(EarlyStopping, KnowsWhichMetricsGrow) {
  Play play;
  const auto epochs = [&](const std::string& metric) {
    play.metric = metric;
    play.run(callbacks::EarlyStopping({.monitor = metric, .patience = 1}), {.1, .2, .3});
    return play.epochs;
  };
  for (const char* grows : {"val_AUC", "mean_io_u", "val_cosine_similarity", "fbeta_score"})
    EXPECT_EQ(epochs(grows), 3) << grows;
  for (const char* shrinks : {"accuracy_loss", "val_mse", "score"})
    EXPECT_EQ(epochs(shrinks), 2) << shrinks;
  play.model.compile(
      {.loss = "mse",
       .metrics = {metrics::AUC({.name = "score"}), metrics::MeanSquaredError({.name = "acc"})}});
  play.model.fit(samples(8).x, Array(DType::float32, {8, 3}), {.verbose = 0});
  EXPECT_EQ(epochs("val_score"), 3);  // by its class, whatever its name
  EXPECT_EQ(epochs("val_acc"), 2);
}

TEST(EarlyStopping, StartsAfreshInEachFit) {
  Play play;
  const auto stop = callbacks::EarlyStopping({.patience = 1});
  play.run(stop, {1, 2, 3});
  play.run(stop, {9, 8, 7});
  EXPECT_EQ(play.epochs, 3);
}

TEST(EarlyStopping, WarnsOnceOfAnUnknownMetric) {
  Play play;
  ::testing::internal::CaptureStderr();
  play.run(callbacks::EarlyStopping({.monitor = "val_acc"}), {1, 2, 3});
  const std::string warning = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(warning,
            "Warning: EarlyStopping monitors \"val_acc\", which is not available. Available: loss, "
            "val_loss.\n");
  EXPECT_EQ(play.epochs, 3);
}

TEST(EarlyStopping, DoesNotWarnBetweenValidations) {
  const Device host("/cpu:0");  // else fit may say why it is not on a GPU
  auto model = classifier();
  const auto data = samples(8);
  ::testing::internal::CaptureStderr();
  model.fit(data.x, data.y,
            {.epochs = 3,
             .verbose = 0,
             .callbacks = {callbacks::EarlyStopping({.patience = 9})},
             .validation_split = 0.5,
             .validation_freq = 2});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(ReduceLROnPlateau, ReducesAfterPatienceCoolsDownAndStopsAtTheLeast) {
  Play play;
  play.model.optimizer().set_learning_rate(1);
  play.run(
      callbacks::ReduceLROnPlateau({.factor = 0.5, .patience = 2, .cooldown = 2, .min_lr = 0.2}),
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  const std::vector<double> wanted = {1, 1, .5, .5, .5, .25, .25, .25, 0.2f, 0.2f, 0.2f};
  EXPECT_EQ(play.rates, wanted);
  EXPECT_ERROR(callbacks::ReduceLROnPlateau({.factor = 1}), "between 0 and 1, got 1");
}

TEST(ReduceLROnPlateau, TakesSmallGainsForNone) {
  Play play;
  play.model.optimizer().set_learning_rate(1);
  play.run(callbacks::ReduceLROnPlateau({.patience = 1, .min_delta = 0.5}), {3, 2, 1.9});
  EXPECT_EQ(play.rates, (std::vector<double>{1, 1, 0.1f}));
}

TEST(LearningRateScheduler, SetsTheRateAndEntersItIntoTheHistory) {
  auto model = classifier();
  const auto data = samples(8);
  const auto by_epoch = callbacks::LearningRateScheduler(
      {.schedule = [](int64_t epoch) { return epoch == 0 ? 0.5 : 0.25; }});
  const auto history =
      model.fit(data.x, data.y, {.epochs = 2, .verbose = 0, .callbacks = {by_epoch}});
  EXPECT_EQ(history["learning_rate"], (std::vector<double>{0.5, 0.25}));
  const auto halved =
      callbacks::LearningRateScheduler({.schedule = [](int64_t, double rate) { return rate / 2; }});
  model.fit(data.x, data.y, {.epochs = 2, .verbose = 0, .callbacks = {halved}});
  EXPECT_EQ(model.optimizer().learning_rate(), 0.0625);
  const auto broken =
      callbacks::LearningRateScheduler({.schedule = [](int64_t) { return double(NAN); }});
  EXPECT_ERROR(model.fit(data.x, data.y, {.verbose = 0, .callbacks = {broken}}), "gave nan");
}

TEST(CSVLogger, WritesSortedColumnsAndAppends) {
  const TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  Play play;
  play.metric = "accuracy";
  play.run(callbacks::CSVLogger({.filename = path}), {0.5, 0.25});
  EXPECT_EQ(text_of(path), "epoch,accuracy,loss\n0,0.5,1\n1,0.25,1\n");
  play.run(callbacks::CSVLogger({.filename = path, .append = true}), {0.75});
  EXPECT_EQ(text_of(path), "epoch,accuracy,loss\n0,0.5,1\n1,0.25,1\n0,0.75,1\n");
  play.run(callbacks::CSVLogger({.filename = path, .separator = ";"}), {0.75});
  EXPECT_EQ(text_of(path), "epoch;accuracy;loss\n0;0.75;1\n");
}

TEST(CSVLogger, FlushesEachEpochAndLeavesRoomForLateValidation) {
  const TemporaryFolder folder;
  auto model = classifier();
  const auto data = samples(8);
  std::string during;
  const auto look = callbacks::LambdaCallback(
      {.on_epoch_end = [&](int64_t, Logs&) { during = text_of(folder / "log.csv"); }});
  model.fit(data.x, data.y,
            {.epochs = 1,
             .verbose = 0,
             .callbacks = {callbacks::CSVLogger({.filename = folder / "log.csv"}), look},
             .validation_split = 0.5,
             .validation_freq = 2});
  EXPECT_TRUE(during.starts_with("epoch,accuracy,loss,val_accuracy,val_loss\n0,")) << during;
  EXPECT_TRUE(during.ends_with(",NA,NA\n")) << during;
  EXPECT_ERROR(
      model.fit(data.x, data.y,
                {.verbose = 0, .callbacks = {callbacks::CSVLogger({.filename = folder.path()})}}),
      "CSVLogger cannot write");
}

TEST(TerminateOnNaN, StopsAtTheBatch) {
  auto model = classifier();
  auto data = samples(40);
  data.x.mutable_data<float>()[static_cast<size_t>(9 * features)] = NAN;  // in the third batch
  int64_t batches = 0;
  const auto count =
      callbacks::LambdaCallback({.on_train_batch_end = [&](int64_t, const Logs&) { ++batches; }});
  ::testing::internal::CaptureStdout();
  model.fit(data.x, data.y,
            {.batch_size = 4,
             .epochs = 3,
             .verbose = 0,
             .callbacks = {callbacks::TerminateOnNaN(), count},
             .shuffle = false});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "Batch 2: Invalid loss, terminating training\n");
  EXPECT_EQ(batches, 3);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "the loss was NaN or infinite by step 3",
                      model.account());
}

TEST(Callbacks, AreMadeByName) {
  EXPECT_TRUE(make_callback("TerminateOnNaN"));
  Play play;
  play.run(make_callback(Config::map(
               {{"class_name", "EarlyStopping"}, {"config", Config::map({{"patience", 2}})}})),
           {1, 2, 3, 4});
  EXPECT_EQ(play.epochs, 3);
  EXPECT_ERROR(make_callback("EarlyStoping"), "did you mean \"EarlyStopping\"?");
  EXPECT_ERROR(make_callback(Config::map(
                   {{"class_name", "CSVLogger"}, {"config", Config::map({{"filname", "a"}})}})),
               "filename");
  const auto constant = Config::map({{"schedule", 0.5}});
  play.run(
      make_callback(Config::map({{"class_name", "LearningRateScheduler"}, {"config", constant}})),
      {1});
  EXPECT_EQ(play.rates, std::vector<double>{0.5});
}

TEST(Callbacks, WhatKerasHasAndFitDoesItselfIsTakenAndTheNetworkIsNot) {
  const auto data = samples(8);
  classifier().fit(
      data.x, data.y,
      {.verbose = 0, .callbacks = {make_callback("History"), make_callback("ProgbarLogger")}});
  EXPECT_ERROR(make_callback("RemoteMonitor"), "sends nothing over the network");
}

}  // namespace
}  // namespace stoker
