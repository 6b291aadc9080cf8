#include "stoker/function.h"
#include "stoker/schedules.h"
#include "support/relative.h"

namespace stoker {
namespace {

TEST(GoldenSchedules, EveryStepsRateIsKeras) {
  const auto group = golden::load("schedules");
  ASSERT_GT(group.cases().size(), 10u);
  for (const Config& c : group.cases()) {
    const auto schedule = LearningRate(golden::object_of(c)).schedule();
    const auto rate = function([&](const Tensor& step) { return (*schedule)(step); });
    const Array want = group.array(c, "values");
    const auto& steps = c.find("steps")->as_list();
    double highest = 0;
    for (int64_t i = 0; i < want.size(); ++i) highest = std::max(highest, want.at(i));
    for (size_t i = 0; i < steps.size(); ++i) {
      const Tensor step = Array::scalar(static_cast<float>(steps[i].as_int()));
      const double value = want.at(static_cast<int64_t>(i)), tolerance = 1e-5 * highest;
      EXPECT_NEAR(rate(step).item(), value, tolerance)
          << golden::id(c) << " step " << steps[i].as_int();
    }
  }
}

TEST(Schedules, ConfigsGoThereAndBack) {
  const LearningRate rate = schedules::CosineDecay(
      {.initial_learning_rate = 0.1, .decay_steps = 100, .warmup_target = 0.5, .warmup_steps = 10});
  EXPECT_EQ(LearningRate(rate.to_config()).to_config(), rate.to_config());
}

TEST(Schedules, ImpossibleArgumentsAreRefused) {
  EXPECT_THROW(schedules::ExponentialDecay({.initial_learning_rate = 1, .decay_rate = 0.5}),
               InvalidArgument);
  EXPECT_THROW(schedules::PiecewiseConstantDecay({.boundaries = {1, 2}, .values = {1, 2}}),
               InvalidArgument);
  EXPECT_THROW(LearningRate(Config("CosinDecay")), InvalidArgument);
  EXPECT_THROW(LearningRate(Config("CosineDecay")), InvalidArgument);  // needs decay_steps
}

}  // namespace
}  // namespace stoker
