// A small convolutional network that stops when the validation loss no longer falls.
#include <fmt/format.h>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

int main() try {
  const auto data = datasets::fashion_mnist();
  const auto images = [](const Array& x) { return x.reshape({-1, 28, 28, 1}); };  // one channel

  set_random_seed(1);
  Sequential model({Input({.shape = {28, 28, 1}}), Rescaling({.scale = 1.0 / 255}),
                    Conv2D({.filters = 32, .kernel_size = {3, 3}, .activation = "relu"}),
                    MaxPooling2D({.pool_size = {2, 2}}), Flatten(),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.001}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  const auto early_stopping = callbacks::EarlyStopping(
      {.monitor = "val_loss", .patience = 3, .restore_best_weights = true});
  model.fit(
      images(data.x_train), data.y_train,
      {.batch_size = 64, .epochs = 10, .callbacks = {early_stopping}, .validation_split = 0.05});
  model.evaluate(images(data.x_test), data.y_test);
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
