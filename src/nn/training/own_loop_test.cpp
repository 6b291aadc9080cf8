#include <cmath>

#include "nn/test_models.h"
#include "stoker/function.h"
#include "stoker/gradient_tape.h"
#include "stoker/ops/elementwise.h"
#include "support/fake_gpu.h"

namespace stoker {
namespace {

using namespace test;

Tensor loss_of(const Tensor& y_true, const Tensor& y_pred) {
  static const LossRef loss = "sparse_categorical_crossentropy";
  return loss(y_true, y_pred);
}

Tensor train(Model& model, const Tensor& x, const Tensor& y) {
  GradientTape tape;
  const Tensor loss = loss_of(y, model(x, {.training = true}));
  const auto variables = model.trainable_variables();
  model.optimizer().apply_gradients(tape.gradient(loss, variables), variables);
  return loss;
}

TEST(OwnLoop, EagerTracedAndCompiledStepsAgree) {
  auto eager = classifier(), traced = classifier(), compiled = classifier();
  const auto data = samples(60);
  const auto step =
      stoker::function([&](const Tensor& x, const Tensor& y) { return train(traced, x, y); });
  for (int64_t at = 0; at < 60; at += 12) {
    const Array x = data.x.rows(at, at + 12), y = data.y.rows(at, at + 12);
    const double first = train(eager, x, y).item(), second = step(Tensor(x), Tensor(y)).item();
    compiled.reset_metrics();
    EXPECT_NEAR(first, second, 1e-6);
    EXPECT_NEAR(first, *compiled.train_on_batch(x, y).find("loss"), 1e-6);
  }
  EXPECT_EQ(step.traces(), 1u);
  EXPECT_LT(difference(eager.get_weights(), traced.get_weights()), 2e-6);
  EXPECT_LT(difference(eager.get_weights(), compiled.get_weights()), 2e-6);
}

TEST(OwnLoop, AFunctionIsTracedOncePerShape) {
  auto model = classifier();
  const auto data = samples(20);
  const auto step = stoker::function([&](const Tensor& x) { return model(x); });
  for (int64_t rows : {8, 8, 4, 8}) step(Tensor(data.x.rows(0, rows)));
  EXPECT_EQ(step.traces(), 2u);
}

struct OwnLoopOnADevice : stoker::testing::FakeGpu {};

TEST_F(OwnLoopOnADevice, CopiesTheArraysOfACallOnceAndItsResultNotAtAll) {
  auto model = classifier();
  const auto data = samples(12);
  const auto step =
      stoker::function([&](const Tensor& x, const Tensor& y) { return train(model, x, y); });
  step(data.x, data.y);
  const auto before = control;
  step(data.x, data.y);
  EXPECT_EQ(control.runs - before.runs, 1);
  EXPECT_EQ(control.copies_to_device - before.copies_to_device, 1);
  EXPECT_EQ(control.copies_on_device, before.copies_on_device);
}

// The next run writes to the same memory only if nobody has the result any more.
TEST_F(OwnLoopOnADevice, ResultsThatAreHeldStayAsTheyAre) {
  const auto twice = stoker::function([](const Tensor& x, const Tensor& y) {
    return std::vector<Tensor>{ops::exp(x) * 2.0, ops::exp(y) + x};
  });
  std::vector<std::vector<Tensor>> held;
  for (int i = 0; i < 4; ++i)
    held.push_back(twice(Array::from(std::vector<float>{static_cast<float>(i), 0}, {2}),
                         Array::from(std::vector<float>{0, static_cast<float>(i)}, {2})));
  for (int i = 0; i < 4; ++i) {
    const auto& results = held[static_cast<size_t>(i)];
    EXPECT_NEAR(results[0].array().at(0), 2 * std::exp(i), 1e-4 * std::exp(i));
    EXPECT_NEAR(results[1].array().at(0), 1 + i, 1e-5);
    EXPECT_NEAR(results[1].array().at(1), std::exp(i), 1e-4 * std::exp(i));
  }
}

TEST(OwnLoop, GradientsWithoutATapeInScopeAreExplained) {
  auto model = classifier();
  const auto data = samples(4);
  const Tensor loss = loss_of(data.y, model(data.x));
  GradientTape tape;
  const auto variables = model.trainable_variables();
  EXPECT_ERROR(model.optimizer().apply_gradients(tape.gradient(loss, variables), variables),
               "was it computed in the tape's scope?");
}

}  // namespace
}  // namespace stoker
