// A dense network on Fashion-MNIST at two batch sizes: the cost of a step with one sample, and with
// 32.
#include <fmt/format.h>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

int main() try {
  const auto data = datasets::fashion_mnist();  // uint8 images, scaled in the network

  for (int64_t batch_size : {32, 1}) {
    set_random_seed(1);
    Sequential model({Input({.shape = {28, 28}}), Rescaling({.scale = 1.0 / 255}), Flatten(),
                      Dense({.units = 128, .activation = "relu"}),
                      Dense({.units = 10, .activation = "softmax"})});
    model.compile(
        {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
    fmt::print("batch_size {}\n", batch_size);
    model.fit(data.x_train, data.y_train,
              {.batch_size = batch_size, .epochs = batch_size == 1 ? 1 : 5});
    model.evaluate(data.x_test, data.y_test);
  }
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
