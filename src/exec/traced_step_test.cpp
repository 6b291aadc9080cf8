#include "exec/traced_step.h"

#include <gtest/gtest.h>

#include "nn/model_impl.h"
#include "nn/test_models.h"

namespace stoker::exec {
namespace {

std::vector<TensorType> rows(int64_t count) { return {{DType::float32, Shape{count}}}; }

struct KeptSteps : ::testing::Test {
  TracedStep step{[this](const std::vector<Tensor>& in) {
    ++traces;
    return std::vector{in[0] + in[0]};
  }};
  int64_t traces = 0;
};

TEST_F(KeptSteps, AreTheLatest) {
  const auto most = static_cast<int64_t>(TracedStep::most_kept);
  for (int64_t n = 1; n <= most; ++n) step.step_for(rows(n));
  step.step_for(rows(1));  // used again, so that 2 is the least recently used
  for (int64_t n = most + 1; n <= 5 * most; ++n) {
    step.step_for(rows(n));
    step.step_for(rows(1));
    EXPECT_LE(step.count(), TracedStep::most_kept);
  }
  EXPECT_EQ(traces, 5 * most);
  step.step_for(rows(5 * most - 3));
  EXPECT_EQ(traces, 5 * most);
  step.step_for(rows(2));
  EXPECT_EQ(traces, 5 * most + 1);
}

TEST_F(KeptSteps, StayWhileTheyAreUsed) {
  const StepRef held = step.step_for(rows(1));
  for (int64_t n = 2; n < 300; ++n) step.step_for(rows(n));
  EXPECT_EQ(step.count(), TracedStep::most_kept);
  EXPECT_EQ(step.step_for(rows(1)), held);
  std::vector<StepRef> all;
  for (int64_t n = 1; n <= 100; ++n) all.push_back(step.step_for(rows(n)));
  EXPECT_EQ(step.count(), 100u);
  all.clear();
  step.step_for(rows(1000));
  EXPECT_LE(step.count(), TracedStep::most_kept);
}

TEST(KeptStepsOfAModel, DoNotGrowWithTheSizesItPredicts) {
  auto model = test::classifier();
  for (int64_t n = 1; n <= 400; ++n) model.predict(test::random_array({n, test::features}));
  size_t kept = 0;
  for (const auto& phase : model.impl().steps.phases) kept += phase.step->count();
  EXPECT_LE(kept, TracedStep::most_kept + 1);
}

// With the first fit's length, the second would gather zeros for rows past that length.
TEST(KeptStepsOfAModel, DoNotDependOnTheLengthOfTheData) {
  auto model = test::classifier(/*learning_rate=*/0);
  for (const int64_t length : {1000, 1100}) {
    const auto data = test::samples(length);
    const History history =
        model.fit(data.x, data.y, {.batch_size = 100, .epochs = 1, .verbose = 0});
    const Logs logs = model.evaluate(data.x, data.y, {.batch_size = 100, .verbose = 0});
    EXPECT_NEAR(history["loss"][0], logs["loss"], 1e-5);
  }
  ASSERT_EQ(model.impl().steps.phases.size(), 2u);
  for (const auto& phase : model.impl().steps.phases) EXPECT_EQ(phase.step->count(), 1u);
}

}  // namespace
}  // namespace stoker::exec
