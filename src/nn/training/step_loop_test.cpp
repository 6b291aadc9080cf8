#include "nn/training/step_loop.h"

#include "device/scope.h"
#include "nn/training/fit.h"
#include "nn/training/inputs/test_feed.h"
#include "nn/training/test_loop.h"
#include "stoker/callbacks/lambda_callback.h"

namespace stoker::nn {
namespace {

using namespace test;

// A feed of one column with configurable behaviour.
class MadeUpFeed : public data::Feed {
 public:
  MadeUpFeed() {
    plan_.columns = {{DType::float32, Shape{1, features}}};
    plan_.samples = 12;
    types = plan_.inputs(4);
  }
  const data::FeedPlan& plan() const override { return plan_; }
  int64_t batch_size() const override { return 4; }
  int64_t bytes_to_upload() const override { return 0; }
  void start(int64_t) override {}
  bool next(data::Batch& batch, int64_t most) override {
    asked = most;
    batch = {&input, &stride_, &types, 0, rows, first, count};
    if (without_inputs) batch.inputs = nullptr;
    if (without_types) batch.types = nullptr;
    if (++given == 2 && changes_types) types[0].shape = Shape{4, features + 1};
    return true;
  }
  bool exhausted() override { return false; }
  Config state() const override { return Config::map(); }
  void restore(const Config&) override {}

  std::vector<TensorType> types;
  int64_t rows = 4, first = 0, count = 1, asked = 0, given = 0;
  bool without_inputs = false, without_types = false, changes_types = false;

 private:
  data::FeedPlan plan_;
  Array data_ = random_array({12, features});

 public:
  void* input = data_.mutable_raw();

 private:
  int64_t stride_ = 0;
};

class StepLoopTest : public ::testing::Test {
 protected:
  std::string error_of_a_run() {
    const device::Scope scope(device::host_device());
    StepLoop loop(model, feed, {.phase = Phase::predict, .layout = {.x = 1}});
    return error_of([&] { loop.run(0, 3, [](const auto&) { return true; }); });
  }
  Sequential model = classifier();
  MadeUpFeed feed;
};

TEST_F(StepLoopTest, RunsWhatAFeedGives) {
  EXPECT_EQ(error_of_a_run(), "no error");
  EXPECT_EQ(feed.asked, 1);  // one step of three is left
}

TEST_F(StepLoopTest, RefusesAFeedThatLiesAboutItsRows) {
  feed.rows = 5;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "a batch of 5 rows, but its batch size is 4",
                      error_of_a_run());
}

TEST_F(StepLoopTest, RefusesMoreBatchesThanWereAskedFor) {
  feed.count = 100;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "100 batches where at most 1", error_of_a_run());
}

TEST_F(StepLoopTest, RefusesAFeedThatLiesAboutItsTypes) {
  feed.types[0].dtype = DType::int32;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "but gave int32", error_of_a_run());
}

// In the same vector, so that its address does not differ.
TEST_F(StepLoopTest, RefusesTypesThatChange) {
  feed.changes_types = true;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "but gave float32(4, 7)", error_of_a_run());
}

TEST_F(StepLoopTest, RefusesMoreTypesThanTheStepHas) {
  feed.types.push_back(feed.types[0]);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "announced nothing for input 1", error_of_a_run());
}

TEST_F(StepLoopTest, RefusesABatchWithoutInputsOrTypes) {
  feed.without_inputs = true;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "without inputs", error_of_a_run());
  feed.without_types = true;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "without types", error_of_a_run());
}

TEST_F(StepLoopTest, RefusesANullPointer) {
  feed.input = nullptr;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "a null pointer for input 0", error_of_a_run());
}

TEST_F(StepLoopTest, RefusesSamplesBehindTheLast) {
  feed.first = 9;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "samples 9 to 12, but it announced 12 samples",
                      error_of_a_run());
}

// Feeds that announce a wrong length.
struct FeedLengths : ::testing::Test {
  FitArgs args{.batch_size = 4, .epochs = 2, .verbose = 0};
  Sequential model = classifier();
  std::shared_ptr<TestSource> source = source_of(samples(20));  // five batches
};

TEST_F(FeedLengths, FewerBatchesThanAnnouncedAreAnError) {
  source->says.known_batches = 6;
  const char* want = "ended after 5 batches, but 6 were announced";
  EXPECT_ERROR(fit(model, {run_over(source)}, args), want);
  EXPECT_ERROR(evaluate(model, run_over(source), {.batch_size = 4, .verbose = 0}), want);
  source->says.known_batches = 0;
  source->says.samples = 24;
  EXPECT_ERROR(fit(model, {run_over(source)}, args), want);
}

TEST_F(FeedLengths, MoreBatchesThanAnnouncedAreAnError) {
  source->says.known_batches = 4;
  const char* want = "more than 4 batches, but 4 were announced";
  EXPECT_ERROR(fit(model, {run_over(source)}, args), want);
  EXPECT_ERROR(evaluate(model, run_over(source), {.batch_size = 4, .verbose = 0}), want);
}

TEST_F(FeedLengths, ThoseAskedForAreNotAnnounced) {
  source->says.known_batches = 5;
  args.steps_per_epoch = 7;
  EXPECT_EQ(fit(model, {run_over(source)}, args).epoch.size(), 2u);
  args.steps_per_epoch = 3;
  EXPECT_EQ(fit(model, {run_over(source)}, args).epoch.size(), 2u);
}

TEST_F(FeedLengths, DataThatChangesBetweenEpochsIsRefused) {
  source->grows_at_start = 1;
  source->says.samples = 20;
  EXPECT_ERROR(fit(model, {run_over(source)}, args), "it had 20 samples of float32(20, 6)");
  EXPECT_ERROR(fit(model, {run_over(source)}, args), "now it has 21 samples");
}

TEST(Session, OfAFitInsideACallbackEndsWithIt) {
  auto model = classifier();
  const auto data = samples(20);
  const Session* outer = nullptr;
  const auto fits_again = callbacks::LambdaCallback({.on_epoch_end = [&](int64_t, Logs&) {
    outer = model.impl().fits.running;
    model.fit(data.x, data.y, {.verbose = 0});
    EXPECT_EQ(model.impl().fits.running, outer);
  }});
  const History history =
      model.fit(data.x, data.y, {.epochs = 2, .verbose = 0, .callbacks = {fits_again}});
  EXPECT_NE(outer, nullptr);
  EXPECT_EQ(history.epoch.size(), 2u);
  EXPECT_EQ(model.impl().fits.running, nullptr);
}

TEST(TraceElsewhere, AForecastLeavesTheModelAsItWas) {
  auto model = classifier();
  model.memory({.batch_size = 8});
  EXPECT_TRUE(model.impl().traced.metrics.empty());
  EXPECT_TRUE(model.impl().traced.outputs.empty());
  const auto data = samples(20);
  model.fit(data.x, data.y, {.verbose = 0});
  const auto metrics = model.impl().traced.metrics;
  EXPECT_FALSE(metrics.empty());
  model.memory({.batch_size = 16});
  EXPECT_EQ(model.impl().traced.metrics, metrics);
}

}  // namespace
}  // namespace stoker::nn
