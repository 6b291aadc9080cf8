#include "nn/test_models.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/distribution.h"

// They pass with any number of processes; tests/cli/distribution_training_test.py starts two and
// three. The last rank alone is interrupted.
namespace stoker {
namespace {

using namespace test;

constexpr int64_t batches = 4, batch_size = 4;

bool is_last() { return distribution::process_id() == distribution::num_processes() - 1; }

struct InterruptedRanks : ::testing::Test {
  InterruptedRanks() { distribution::initialize(); }
  // Predicts, and is interrupted in the second batch.
  Array predict(const std::vector<CallbackRef>& others = {}) {
    std::vector<CallbackRef> all = others;
    all.push_back(
        callbacks::LambdaCallback({.on_predict_batch_end = [](int64_t batch, const Logs&) {
          if (batch == 1 && is_last()) interrupt();
        }}));
    return model.predict(data.x, {.batch_size = batch_size, .callbacks = all});
  }
  History fit(const std::vector<CallbackRef>& given = {}) {
    return model.fit(data.x, data.y,
                     {.batch_size = batch_size, .epochs = 2, .verbose = 0, .callbacks = given});
  }
  Sequential model = classifier();
  Samples data = samples(batches * batch_size);
};

TEST_F(InterruptedRanks, PredictStopsOnTheRankThatIsInterrupted) {
  if (is_last())
    EXPECT_ERROR(predict(), "predict was interrupted after 2 of 4 batches.");
  else
    EXPECT_EQ(predict().length(), batches * batch_size);
  const History next = fit();
  EXPECT_FALSE(next.interrupted);
  EXPECT_EQ(next.epoch.size(), 2u);
}

TEST_F(InterruptedRanks, PredictStopsInsideAScopeOfTheProgram) {
  const InterruptScope scope;
  if (is_last())
    EXPECT_THROW(predict(), Interrupted);
  else
    EXPECT_NO_THROW(predict());
  const History next = fit();  // the interrupt between two calls counts, on all ranks
  ASSERT_TRUE(next.interrupted);
  EXPECT_TRUE(next.epoch.empty());
  EXPECT_TRUE(interrupted());
}

TEST_F(InterruptedRanks, PredictInACallbackStopsWhereFitDoes) {
  int64_t calls = 0;
  const auto predicts = callbacks::LambdaCallback({.on_train_batch_end = [&](int64_t, const Logs&) {
    if (++calls == 2) predict();
  }});
  const History history = fit({predicts});
  ASSERT_TRUE(history.interrupted);
  EXPECT_EQ(history.interrupted->step, 2);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace stoker
