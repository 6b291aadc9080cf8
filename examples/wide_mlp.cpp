// Three layers of 1024 units, and a forecast of the memory that their training needs.
#include <fmt/format.h>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

int main() try {
  const auto data = datasets::fashion_mnist();
  const auto hidden = [] { return Dense({.units = 1024, .activation = "relu"}); };
  Sequential model({Input({.shape = {28, 28}}), Rescaling({.scale = 1.0 / 255}), Flatten(),
                    hidden(), hidden(), hidden(), Dense({.units = 10, .activation = "softmax"})});
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  fmt::print("{}\n", model.summary());
  model.fit(data.x_train, data.y_train, {.batch_size = 32, .epochs = 2});
  fmt::print("the plan: {} MB\n", model.planned_bytes() >> 20);
  model.evaluate(data.x_test, data.y_test);
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
