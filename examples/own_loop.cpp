// A user-defined training loop: a tape over the model's call, gradients, and an optimizer. First op
// by op (eager), then traced by stoker::function into a compiled step like fit's.
#include <fmt/format.h>

#include <chrono>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

namespace {

constexpr int64_t batch_size = 32, steps = 1000, first_steps = 20;

// Calls the step on one batch after the other and reads every `looks`-th loss; prints the last one
// and the time. The first steps, which compile, are not timed.
template <class Step>
void train(const char* how, const Array& x, const Array& y, const Step& step, int64_t looks = 1) {
  auto begin = std::chrono::steady_clock::now();
  double loss = 0;
  for (int64_t i = 0; i < first_steps + steps; ++i) {
    if (i == first_steps) begin = std::chrono::steady_clock::now();
    const int64_t first = i * batch_size;
    const auto result = step(x.rows(first, first + batch_size), y.rows(first, first + batch_size));
    if ((i + 1) % looks == 0) loss = result.item();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{}: {} steps of {:.0f} us, loss {:.4f}\n", how, steps,
             took.count() / static_cast<double>(steps) * 1e6, loss);
}

struct OneLoss {
  double value;
  double item() const { return value; }
};

}  // namespace

int main() try {
  const auto data = datasets::fashion_mnist();
  set_random_seed(1);
  Sequential model({Input({.shape = {28, 28}}), Rescaling({.scale = 1.0 / 255}), Flatten(),
                    Dense({.units = 128, .activation = "relu"}),
                    Dense({.units = 10, .activation = "softmax"})});
  const auto loss_function = losses::SparseCategoricalCrossentropy();
  const auto optimizer = optimizers::Adam();

  const auto train_step = [&](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor predictions = model(x, {.training = true});
    const Tensor loss = loss_function(y, predictions);
    const auto variables = model.trainable_variables();
    optimizer->apply_gradients(tape.gradient(loss, variables), variables);
    return loss;
  };

  train("op by op", data.x_train, data.y_train, train_step);
  const auto traced = function(train_step);
  train("traced", data.x_train, data.y_train, traced);
  train("traced, loss read every 100 steps", data.x_train, data.y_train, traced, 100);

  model.compile({.loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  train("train_on_batch", data.x_train, data.y_train, [&](const Array& x, const Array& y) {
    return OneLoss{model.train_on_batch(x, y)["loss"]};
  });
  model.evaluate(data.x_test, data.y_test);
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
