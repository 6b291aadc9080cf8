// Data parallelism with a strategy, in a user-defined loop: every process computes gradients for
// its rows of each batch, and all of them update their weights by the sum. Started alone it is one
// replica; `stoker launch -n 2 -- build/examples/mirrored` prints the same losses with two.
#include <fmt/format.h>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

namespace {

constexpr int64_t batch_size = 64, samples = 6000, num_epochs = 2;

Sequential create_model() {
  return Sequential({Input({.shape = {28, 28}}), Rescaling({.scale = 1.0 / 255}), Flatten(),
                     Dense({.units = 128, .activation = "relu"}),
                     Dense({.units = 10, .activation = "softmax"})});
}

}  // namespace

int main() try {
  const distribution::MirroredStrategy strategy;
  const auto data = datasets::fashion_mnist();
  const Dataset dataset =
      Dataset::from_tensor_slices({data.x_train.rows(0, samples), data.y_train.rows(0, samples)})
          .shuffle(samples, {.seed = 7})
          .batch(batch_size);

  [[maybe_unused]] const auto scope = strategy.scope();
  Sequential model = create_model();
  const auto optimizer = optimizers::Adam();
  const auto loss_fn = losses::SparseCategoricalCrossentropy();

  const auto train_step = function([&](const Tensor& images, const Tensor& labels) {
    GradientTape tape;
    const Tensor predictions = model(images, {.training = true});
    const Tensor loss = loss_fn(labels, predictions);
    const auto variables = model.trainable_variables();
    optimizer->apply_gradients(tape.gradient(loss, variables), variables);
    return loss;
  });

  const auto dist_dataset = strategy.experimental_distribute_dataset(dataset);
  for (int64_t epoch = 0; epoch < num_epochs; ++epoch) {
    double total = 0;
    int64_t batches = 0;
    for (const auto& batch : dist_dataset) {
      const Tensor loss = strategy.run(train_step, batch);
      total += strategy.reduce(distribution::ReduceOp::MEAN, loss).at(0);
      ++batches;
    }
    if (distribution::process_id() == 0)
      fmt::print("epoch {}: loss {:.4f}\n", epoch + 1, total / static_cast<double>(batches));
  }
} catch (const Error& error) {
  distribution::abort(1, error.what());
}
