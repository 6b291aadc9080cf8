// Trains a small network for so many steps; bench/step_walk.py lists the functions that are called.
#include <cstdlib>

#include "stoker/say.h"
#include "stoker/stoker.h"

using namespace stoker;

int main(int, char** arguments) try {
  const int64_t steps = std::atoll(arguments[1]), samples = 32 * 2000;  // of which it takes some
  set_random_seed(1);
  Sequential model({Input({.shape = {16}}), layers::Dense({.units = 16, .activation = "relu"}),
                    layers::Dense({.units = 3, .activation = "softmax"})});
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  Array x(DType::float32, {samples, 16}), y(DType::int32, {samples});
  for (int64_t i = 0; i < x.size(); ++i)
    x.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(i % 7) / 7;
  for (int64_t i = 0; i < samples; ++i)
    y.mutable_data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(i % 3);
  model.fit(x, y, {.batch_size = 32, .verbose = 0, .steps_per_epoch = steps});
} catch (const Error& error) {
  say(stderr, std::string(error.what()) + "\n");
  return 1;
}
