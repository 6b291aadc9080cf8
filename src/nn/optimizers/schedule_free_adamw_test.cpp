#include "stoker/optimizers/schedule_free_adamw.h"

#include <gtest/gtest.h>

namespace stoker {
namespace {

// Four steps of Keras 3.15 on JAX: the variable, the iterate and the second moment.
void expect_steps(const std::shared_ptr<Optimizer>& optimizer,
                  const std::vector<std::vector<double>>& want) {
  const Variable w(Array::from<float>({1, -2}, {2}), "w");
  for (const auto& gradient : {std::vector<float>{0.5F, 1}, {-1, 0.25F}, {0.75F, -0.5F}, {2, 1.5F}})
    optimizer->apply_gradients({Tensor(Array::from(gradient, {2}))}, {w});
  const auto states = optimizer->variables();
  ASSERT_EQ(states.size(), 4u);
  const std::vector<Array> got{w.array(), states[2].array(), states[3].array()};
  for (size_t i = 0; i < got.size(); ++i)
    for (size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(got[i].at(static_cast<int64_t>(j)), want[i][j], 2e-6) << i << " " << j;
}

TEST(ScheduleFreeAdamW, IsKerasOnJax) {
  expect_steps(optimizers::ScheduleFreeAdamW({.learning_rate = 0.1}),
               {{0.8910542130470276, -2.1366419792175293},
                {0.7641550302505493, -2.2175920009613037},
                {0.0058091143146157265, 0.00355908228084445}});
  expect_steps(optimizers::ScheduleFreeAdamW({.learning_rate = 0.1,
                                              .beta_1 = 0.8,
                                              .beta_2 = 0.99,
                                              .epsilon = 1e-4,
                                              .warmup_steps = 3}),
               {{0.9101377725601196, -2.069575548171997},
                {0.7893416881561279, -2.138929605484009},
                {0.0577954426407814, 0.03529052063822746}});
}

}  // namespace
}  // namespace stoker
