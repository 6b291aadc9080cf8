#include <latch>
#include <thread>

#include "nn/test_models.h"
#include "stoker/callbacks/csv_logger.h"
#include "stoker/callbacks/lambda_callback.h"

namespace stoker {
namespace {

using namespace test;

constexpr int64_t batches = 10;

// Interrupts fit after the third batch of the second epoch, and records the arguments of the hooks.
class Stopper : public Callback {
 public:
  void on_epoch_begin(int64_t epoch, const Logs&) override { epoch_ = epoch; }
  void on_train_batch_end(int64_t batch, const Logs&) override {
    if (epoch_ == 1 && batch == 2) interrupt();
  }
  void on_epoch_end(int64_t, Logs&) override { ++epoch_ends; }
  void on_interrupt(const PartialEpoch& part) override { parts.push_back(part); }
  void on_train_end(const Logs&) override { ++train_ends; }
  int64_t epoch_ends = 0, train_ends = 0;
  std::vector<PartialEpoch> parts;

 private:
  int64_t epoch_ = 0;
};

struct Interrupts : ::testing::Test {
  History fit(const std::vector<CallbackRef>& others = {}, double validation_split = 0) {
    std::vector<CallbackRef> all{stopper};
    all.insert(all.end(), others.begin(), others.end());
    return model.fit(data.x, data.y,
                     {.batch_size = 4,
                      .epochs = 6,
                      .verbose = 0,
                      .callbacks = all,
                      .validation_split = validation_split});
  }
  Sequential model = classifier();
  Samples data = samples(4 * batches);
  std::shared_ptr<Stopper> stopper = std::make_shared<Stopper>();
};

TEST_F(Interrupts, APartOfAnEpochIsNoEpoch) {
  const auto before = model.get_weights();
  const History history = fit();
  EXPECT_EQ(history.epoch, std::vector<int64_t>{0});
  EXPECT_EQ(history["loss"].size(), 1u);
  ASSERT_TRUE(history.interrupted);
  EXPECT_EQ(history.interrupted->epoch, 1);
  EXPECT_EQ(history.interrupted->step, 3);
  EXPECT_EQ(history.interrupted->of, batches);
  EXPECT_NE(history.interrupted->logs.find("loss"), nullptr);
  EXPECT_EQ(stopper->epoch_ends, 1);
  EXPECT_EQ(stopper->train_ends, 1);
  ASSERT_EQ(stopper->parts.size(), 1u);
  EXPECT_EQ(stopper->parts[0].step, 3);
  EXPECT_GT(difference(model.get_weights(), before), 0);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "; interrupted after 3 of 10 steps of epoch 2",
                      model.account());
}

TEST_F(Interrupts, TheNextFitIsNotEndedByThem) {
  fit();
  const History next = model.fit(data.x, data.y, {.epochs = 2, .verbose = 0});
  EXPECT_EQ(next.epoch.size(), 2u);
  EXPECT_FALSE(next.interrupted);
}

TEST_F(Interrupts, EvaluateAndPredictInACallbackDoNotHideThem) {
  for (const bool evaluates : {true, false}) {
    const auto look = [&] {
      if (evaluates)
        model.evaluate(data.x, data.y, {.batch_size = 4, .verbose = 0});
      else
        model.predict(data.x, {.batch_size = 4});
    };
    int64_t looks = 0;
    const History history = fit({callbacks::LambdaCallback(
        {.on_epoch_end = [&](int64_t, Logs&) { look(), ++looks; },
         .on_train_batch_end = [&](int64_t, const Logs&) { look(), ++looks; }})});
    EXPECT_EQ(history.epoch, std::vector<int64_t>{0});
    ASSERT_TRUE(history.interrupted);
    EXPECT_EQ(history.interrupted->step, 3);
    EXPECT_EQ(looks, batches + 1 + 2);  // the last one was ended, too
  }
}

TEST_F(Interrupts, ACallbackThatTheyEndDoesNotKeepOthersFromSaving) {
  const auto looks = callbacks::LambdaCallback(
      {.on_train_end = [&](const Logs&) { model.predict(data.x, {.batch_size = 4}); }});
  int64_t saved = 0;
  fit({looks, callbacks::LambdaCallback({.on_train_end = [&](const Logs&) { ++saved; }})});
  EXPECT_EQ(saved, 1);
}

TEST_F(Interrupts, EvaluateAndPredictSayThatTheyWereEnded) {
  const auto stop = callbacks::LambdaCallback(
      {.on_test_batch_end = [](int64_t, const Logs&) { interrupt(); },
       .on_predict_batch_end = [](int64_t, const Logs&) { interrupt(); }});
  const auto what = [](auto run) -> std::string {
    try {
      run();
    } catch (const Interrupted& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(what([&] {
              model.evaluate(data.x, data.y, {.batch_size = 4, .verbose = 0, .callbacks = {stop}});
            }),
            "evaluate was interrupted after 1 of 10 batches.");
  EXPECT_EQ(what([&] { model.predict(data.x, {.batch_size = 4, .callbacks = {stop}}); }),
            "predict was interrupted after 1 of 10 batches.");
  EXPECT_EQ(model.predict(data.x, {.batch_size = 100, .callbacks = {stop}}).length(), 4 * batches);
}

TEST_F(Interrupts, EndEveryRunningSession) {
  std::latch both_run(2), stopped(1);
  const auto stop = callbacks::LambdaCallback({.on_test_batch_end = [&](int64_t, const Logs&) {
    both_run.arrive_and_wait();
    interrupt();
    stopped.count_down();
  }});
  const auto wait = callbacks::LambdaCallback({.on_predict_batch_end = [&](int64_t, const Logs&) {
    both_run.arrive_and_wait();
    stopped.wait();
  }});
  Sequential other = classifier();
  std::thread predicts([&] {
    EXPECT_THROW(other.predict(data.x, {.batch_size = 4, .callbacks = {wait}}), Interrupted);
  });
  EXPECT_THROW(model.evaluate(data.x, data.y, {.batch_size = 4, .verbose = 0, .callbacks = {stop}}),
               Interrupted);
  predicts.join();
  EXPECT_EQ(other.predict(data.x, {.batch_size = 4}).length(), 4 * batches);
}

TEST_F(Interrupts, AnEpochWithoutItsValidationIsNotWhole) {
  const auto stop = callbacks::LambdaCallback({.on_test_batch_end = [](int64_t batch, const Logs&) {
    if (batch == 0) interrupt();
  }});
  const History history = fit({stop}, 0.2);
  EXPECT_TRUE(history.epoch.empty());
  ASSERT_TRUE(history.interrupted);
  EXPECT_EQ(history.interrupted->epoch, 0);
  EXPECT_EQ(history.interrupted->step, 8);
  EXPECT_EQ(history.interrupted->of, 8);
  EXPECT_EQ(history.interrupted->logs.find("val_loss"), nullptr);
}

TEST_F(Interrupts, AnEpochThatWasDoneIsWhole) {
  const auto stop = callbacks::LambdaCallback({.on_epoch_end = [](int64_t epoch, Logs&) {
    if (epoch == 0) interrupt();
  }});
  const History history = fit({stop});
  EXPECT_EQ(history.epoch, std::vector<int64_t>{0});
  ASSERT_TRUE(history.interrupted);
  EXPECT_EQ(history.interrupted->epoch, 1);
  EXPECT_EQ(history.interrupted->step, 0);
}

TEST_F(Interrupts, CountForAllRunsInsideAScope) {
  const InterruptScope scope;
  interrupt();
  EXPECT_TRUE(interrupted());
  const History history = model.fit(data.x, data.y, {.epochs = 3, .verbose = 0});
  EXPECT_TRUE(history.epoch.empty());
  ASSERT_TRUE(history.interrupted);
  EXPECT_EQ(history.interrupted->step, 0);
}

TEST_F(Interrupts, ALogHasWholeEpochsOnly) {
  const TemporaryFolder folder;
  fit({callbacks::CSVLogger({.filename = folder / "log.csv"})});
  const std::string text(read_file(folder / "log.csv").text());
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
}

}  // namespace
}  // namespace stoker
