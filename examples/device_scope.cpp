// A model created and trained on a GPU named by the program. Without a GPU it runs on the CPU and
// says why.
#include <fmt/format.h>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

int main() try {
  const auto data = datasets::fashion_mnist();
  const Array x_train = data.x_train.reshape({-1, 784});
  const Array y_train = ops::one_hot(data.y_train, 10).array();

  {
    const Device scope("/gpu:0");  // "/gpu:1" for the second, and so on
    Sequential model({Input({.shape = {784}}), Rescaling({.scale = 1.0 / 255}),
                      Dense({.units = 64, .activation = "relu"}),
                      Dense({.units = 10, .activation = "softmax"})});
    model.compile(
        {.optimizer = "adam", .loss = "categorical_crossentropy", .metrics = {"accuracy"}});
    model.fit(x_train, y_train, {.epochs = 10});
    fmt::print("trained on {}\n", scope.logical().name);
  }

  fmt::print("Num GPUs Available: {}\n", list_physical_devices("GPU").size());
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
