#include "nn/saving/optimizer_state.h"

#include "nn/test_models.h"
#include "stoker/optimizers.h"

// States written by Keras are tested in tests/golden_optimizer_files_test.cpp.
namespace stoker {
namespace {

using namespace test;

Array count(int64_t value) { return Array::scalar(value); }
Array number(float value) { return Array::scalar(value); }
Array pair(float a, float b) { return Array::from<float>({a, b}, {2}); }

// Equal shapes: only the order distinguishes their slots.
const std::vector<Variable>& weights() {
  static const std::vector<Variable> both{Variable(pair(0, 0), "a"), Variable(pair(0, 0), "b")};
  return both;
}
OptimizerRef built(const OptimizerRef& optimizer) {
  optimizer->build(weights());
  return optimizer;
}
std::string restore_state(Optimizer& optimizer, const std::vector<Array>& stored,
                          nn::SlotOrder order = nn::SlotOrder::by_weight) {
  return nn::restore_state(optimizer, weights(), stored, order);
}
OptimizerRef scaled(const OptimizerRef& inner) {
  return built(optimizers::LossScaleOptimizer({.inner_optimizer = inner, .initial_scale = 8}));
}

std::vector<double> first_values(const Optimizer& optimizer) {
  std::vector<double> values;
  for (const auto& [variable, kind] : optimizer.saved_variables())
    values.push_back(variable.array().at(0));
  return values;
}

TEST(OptimizerState, FourNumbersOfAFreshScaledSGDAreNoState) {
  const OptimizerRef optimizer = scaled(optimizers::SGD({.learning_rate = 0.5}));
  EXPECT_EQ(restore_state(*optimizer, {count(0), number(0), count(0), number(0.5)}), "");
  EXPECT_EQ(optimizer->loss_scale(), 8);
  EXPECT_EQ(first_values(*optimizer), (std::vector<double>{0, 0, 0, 8, 0, 0.5}));
}

TEST(OptimizerState, IsSetInTheOrderOfKeras) {
  const OptimizerRef optimizer = scaled("sgd");
  EXPECT_EQ(
      restore_state(*optimizer, {count(0), number(0), count(3), number(4), count(5), number(6)}),
      "");
  EXPECT_EQ(first_values(*optimizer), (std::vector<double>{0, 0, 3, 4, 5, 6}));
}

TEST(OptimizerState, AScaleThatIsNotPositiveIsRefused) {
  for (const float bad : {0.0F, -1.0F, NAN, INFINITY}) {
    const OptimizerRef optimizer = scaled("sgd");
    const std::string problem = restore_state(
        *optimizer, {count(0), number(0), count(3), number(bad), count(5), number(6)});
    EXPECT_NE(problem.find("dynamic_scale"), problem.npos) << problem;
    EXPECT_EQ(first_values(*optimizer), (std::vector<double>{0, 0, 0, 8, 0, 0.01F}));
  }
}

TEST(OptimizerState, NumbersThatCannotBeWhatTheyStandForAreRefused) {
  const OptimizerRef sgd = built("sgd");
  EXPECT_NE(restore_state(*sgd, {count(-1), number(1)}), "");
  EXPECT_NE(restore_state(*sgd, {number(1), number(1)}), "");
  EXPECT_NE(restore_state(*sgd, {count(1), number(NAN)}), "");
  EXPECT_NE(restore_state(*sgd, {count(1), count(1)}), "");
  EXPECT_EQ(first_values(*sgd), (std::vector<double>{0, 0.01F}));
}

TEST(OptimizerState, AFreshOneHasNothingToSetUnlessItCountedSteps) {
  EXPECT_EQ(restore_state(*built("adam"), {count(0), number(0.001F)}), "");
  EXPECT_EQ(restore_state(*built("adam"), std::vector<Array>{}), "");
  const std::string problem = restore_state(*built("adam"), {count(5), number(0.001F)});
  EXPECT_NE(problem.find("2 variables"), problem.npos) << problem;
}

TEST(OptimizerState, OfKeras2HasNoRateAndMomentaThatAreNotUsed) {
  const OptimizerRef sgd = built("sgd");
  EXPECT_EQ(restore_state(*sgd, {count(7), pair(1, 2), pair(3, 4)}), "");
  EXPECT_EQ(first_values(*sgd), (std::vector<double>{7, 0.01F}));
  EXPECT_NE(restore_state(*sgd, {count(8), pair(1, 2)}), "") << "one momentum for two weights";
  EXPECT_NE(restore_state(*sgd, {count(8), number(1), number(2)}), "") << "of another shape";
  EXPECT_EQ(first_values(*sgd), (std::vector<double>{7, 0.01F}));
  const OptimizerRef adam = built("adam");
  EXPECT_EQ(restore_state(*adam, {count(7), pair(1, 0), pair(2, 0), pair(3, 0), pair(4, 0)}), "");
  EXPECT_EQ(first_values(*adam), (std::vector<double>{7, 0.001F, 1, 2, 3, 4}));
}

TEST(OptimizerState, BeforeKeras2_11ListsOneSlotOfAllWeightsAfterTheOther) {
  const OptimizerRef adam = built("adam");
  EXPECT_EQ(restore_state(*adam, {count(7), pair(1, 0), pair(3, 0), pair(2, 0), pair(4, 0)},
                          nn::SlotOrder::by_slot),
            "");
  EXPECT_EQ(first_values(*adam), (std::vector<double>{7, 0.001F, 1, 2, 3, 4}));
}

// Inside a LossScaleOptimizer Keras does not store the product of Nadam's momenta.
TEST(OptimizerState, NadamFindsItsProductFromTheNumberOfSteps) {
  const auto after_steps = [](const OptimizerRef& nadam) {
    const Variable w(pair(1, 2), "w");
    for (int i = 0; i < 3; ++i) nadam->apply_gradients({Tensor(pair(1, 1))}, {w});
    return nadam->variables().back().array().at(0);
  };
  const double product = after_steps("nadam");
  const OptimizerRef inner = "nadam", optimizer = scaled(inner);
  std::vector<Array> stored{count(0), number(0), count(3), number(8), count(3), number(0.001F)};
  for (int i = 0; i < 4; ++i) stored.push_back(pair(1, 1));
  EXPECT_EQ(restore_state(*optimizer, stored), "");
  EXPECT_NEAR(inner->variables().back().array().at(0), product, 1e-7);
}

TEST(OptimizerState, ThatDoesNotFitIsSaidOnceWhereItMatters) {
  const TemporaryFolder folder;
  const auto [x, y] = samples(40);
  auto model = classifier();
  model.fit(x, y, {.verbose = 0});
  model.save_weights(folder / "adam.weights.h5");
  model.compile({.optimizer = "adagrad", .loss = {"sparse_categorical_crossentropy"}});
  ::testing::internal::CaptureStderr();
  model.load_weights(folder / "adam.weights.h5");
  model.evaluate(x, y, {.verbose = 0});
  model.summary();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ::testing::internal::CaptureStderr();
  model.fit(x, y, {.verbose = 0});
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("starts with a fresh state"), said.npos) << said;
  ::testing::internal::CaptureStderr();
  model.fit(x, y, {.verbose = 0});
  model.save(folder / "m.keras");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace stoker
