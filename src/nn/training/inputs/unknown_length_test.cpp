#include "nn/training/fit.h"
#include "nn/training/inputs/test_feed.h"
#include "nn/training/test_loop.h"
#include "stoker/callbacks/backup_and_restore.h"
#include "stoker/callbacks/lambda_callback.h"

// Data of unknown length.
namespace stoker {
namespace {

using namespace test;

struct UnknownLength : ::testing::Test {
  nn::FitData unknown() const { return {run_over(source_of(data))}; }
  const Samples data = samples(22);  // 5 batches of 4 and a remainder of 2
  Sequential model = classifier();
  Sequential other = classifier();  // trained on the same samples as arrays
};

class Steps : public Callback {
 public:
  void on_epoch_begin(int64_t, const Logs&) override { begun.push_back(params().steps); }
  void on_epoch_end(int64_t, Logs&) override { ended.push_back(params().steps); }
  void on_train_batch_end(int64_t batch, const Logs&) override { batches = batch + 1; }
  std::vector<int64_t> begun, ended;
  int64_t batches = 0;
};

TEST_F(UnknownLength, FitRunsUntilTheEnd) {
  const auto steps = std::make_shared<Steps>();
  const History got =
      nn::fit(model, unknown(), {.batch_size = 4, .epochs = 3, .verbose = 0, .callbacks = {steps}});
  const History want =
      other.fit(data.x, data.y, {.batch_size = 4, .epochs = 3, .verbose = 0, .shuffle = false});
  EXPECT_EQ(got["loss"], want["loss"]);
  EXPECT_EQ(difference(model.get_weights(), other.get_weights()), 0);
  EXPECT_EQ(steps->batches, 6);
  EXPECT_EQ(steps->begun, (std::vector<int64_t>{0, 6, 6}));
  EXPECT_EQ(steps->ended, (std::vector<int64_t>{6, 6, 6}));
}

TEST_F(UnknownLength, EpochsAreReadAsOftenWhetherSomebodyLooksOrNot) {
  const History got = nn::fit(model, unknown(), {.batch_size = 4, .epochs = 70, .verbose = 0});
  EXPECT_EQ(got.epoch.size(), 70u);
  EXPECT_NE(model.account().find("420 steps"), std::string::npos) << model.account();
}

TEST_F(UnknownLength, StepsPerEpochCutTheDataAnew) {
  const FitArgs args{
      .batch_size = 4, .epochs = 5, .verbose = 0, .shuffle = false, .steps_per_epoch = 4};
  const History got = nn::fit(model, unknown(), args);
  const History want = other.fit(data.x, data.y, args);
  EXPECT_EQ(got["loss"], want["loss"]);
  EXPECT_EQ(difference(model.get_weights(), other.get_weights()), 0);
}

TEST_F(UnknownLength, TheProgressLineLearnsIt) {
  ::testing::internal::CaptureStdout();
  nn::fit(model, unknown(), {.batch_size = 4, .epochs = 2, .verbose = 2});
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_TRUE(text.starts_with("Epoch 1/2\n6/6 ")) << text;
  EXPECT_NE(text.find("Epoch 2/2\n6/6 "), std::string::npos) << text;
}

TEST_F(UnknownLength, AnInterruptInTheFirstEpochDoesNotKnowOfHowMany) {
  const auto stop =
      callbacks::LambdaCallback({.on_train_batch_end = [](int64_t batch, const Logs&) {
        if (batch == 2) interrupt();
      }});
  const History history =
      nn::fit(model, unknown(), {.batch_size = 4, .verbose = 0, .callbacks = {stop}});
  ASSERT_TRUE(history.interrupted);
  EXPECT_EQ(history.interrupted->step, 3);
  EXPECT_EQ(history.interrupted->of, 0);
  EXPECT_NE(model.account().find("; interrupted after 3 steps of epoch 1"), std::string::npos)
      << model.account();
}

// Called for every fifth batch of all epochs.
class EveryFifth : public Callback {
 public:
  explicit EveryFifth(bool stops) : stops_(stops) {}
  int64_t batch_interval() const override { return 5; }
  void on_epoch_begin(int64_t epoch, const Logs&) override { epoch_ = epoch; }
  void on_train_batch_end(int64_t batch, const Logs&) override {
    seen.emplace_back(epoch_, batch);
    if (stops_ && epoch_ == 1) interrupt();
  }
  std::vector<std::pair<int64_t, int64_t>> seen;

 private:
  bool stops_;
  int64_t epoch_ = 0;
};

TEST_F(UnknownLength, ACheckpointCountsBatches) {
  const TemporaryFolder folder;
  const auto seen = [&](bool stops) {
    const auto every_fifth = std::make_shared<EveryFifth>(stops);
    const auto backup = callbacks::BackupAndRestore({.backup_dir = folder / "backup"});
    nn::fit(model, unknown(),
            {.batch_size = 4, .epochs = 3, .verbose = 0, .callbacks = {every_fifth, backup}});
    return every_fifth->seen;
  };
  using Seen = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(seen(true), (Seen{{0, 4}, {1, 3}}));
  EXPECT_EQ(seen(false), (Seen{{2, 2}}));  // the 15th
}

TEST_F(UnknownLength, ValidationAndEvaluateSeeAllOfIt) {
  const nn::FitData both{run_over(source_of(data)), run_over(source_of(samples(10, 5)))};
  const History got = nn::fit(model, both, {.batch_size = 4, .epochs = 2, .verbose = 0});
  const History want = other.fit(data.x, data.y,
                                 {.batch_size = 4,
                                  .epochs = 2,
                                  .verbose = 0,
                                  .validation_data = {samples(10, 5).x, samples(10, 5).y},
                                  .shuffle = false});
  EXPECT_EQ(got["val_loss"], want["val_loss"]);
  EXPECT_EQ(nn::evaluate(model, unknown().train, {.batch_size = 4, .verbose = 0})["loss"],
            other.evaluate(data.x, data.y, {.batch_size = 4, .verbose = 0})["loss"]);
}

TEST_F(UnknownLength, PredictionsGrow) {
  const Array x = random_array({1001, features});  // more than one piece
  const nn::RunData rows{std::make_shared<TestSource>(std::vector{x}), {.x = 1}};
  const auto got = nn::predict(model, rows, {.batch_size = 10});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].length(), 1001);
  EXPECT_EQ(difference(got[0], model.predict(x, {.batch_size = 10})), 0);
  EXPECT_EQ(nn::predict(model, rows, {.batch_size = 10, .steps = 3})[0].length(), 30);
}

TEST_F(UnknownLength, BatchesCanBeKnownWhereSamplesAreNot) {
  const auto source = source_of(data);
  source->says.known_batches = 6;
  const auto steps = std::make_shared<Steps>();
  nn::fit(model, {run_over(source)}, {.batch_size = 4, .verbose = 0, .callbacks = {steps}});
  EXPECT_EQ(steps->begun, std::vector<int64_t>{6});
  EXPECT_EQ(steps->batches, 6);
}

TEST_F(UnknownLength, DataMayComeInBatchesOfItsOwn) {
  const auto source = source_of(data);
  source->says.own_batch_size = 11;
  const auto steps = std::make_shared<Steps>();
  nn::fit(model, {run_over(source)}, {.batch_size = AUTO, .verbose = 0, .callbacks = {steps}});
  EXPECT_EQ(steps->batches, 2);
}

TEST_F(UnknownLength, DataWithoutEndNeedsStepsPerEpoch) {
  const auto source = source_of(data);
  source->says.endless = true;
  const nn::RunData endless = run_over(source);
  EXPECT_ERROR(nn::fit(model, {endless}, {.verbose = 0}), "steps_per_epoch");
  EXPECT_ERROR(nn::fit(model, {unknown().train, endless}, {.verbose = 0}), "validation_steps");
  EXPECT_ERROR(nn::evaluate(model, endless, {.verbose = 0}),
               "limit the number of batches with steps");
  EXPECT_ERROR(nn::predict(model, endless, {}), "limit the number of batches with steps");
  const History history =
      nn::fit(model, {endless, endless},
              {.epochs = 2, .verbose = 0, .steps_per_epoch = 30, .validation_steps = 3});
  EXPECT_EQ(history.epoch.size(), 2u);
  EXPECT_NE(model.account().find("60 steps"), std::string::npos) << model.account();
}

TEST_F(UnknownLength, NoBatchAtAllIsAnError) {
  const nn::FitData empty{run_over(source_of(samples(0)))};
  EXPECT_ERROR(nn::fit(model, empty, {.verbose = 0}), "the data is empty");
}

}  // namespace
}  // namespace stoker
