#include "stoker/callbacks/swap_ema_weights.h"

#include "nn/test_models.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/optimizers/sgd.h"

namespace stoker {
namespace {

using namespace test;

Sequential averaging() {
  auto model = classifier();
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.2, .use_ema = true, .ema_momentum = 0.8}),
       .loss = "sparse_categorical_crossentropy"});
  return model;
}

TEST(SwapEMAWeights, ValidationSeesTheAveragesAndTrainingDoesNot) {
  const auto data = samples(40);
  std::vector<std::vector<Array>> trained, tested;
  auto model = averaging();
  const auto watch = callbacks::LambdaCallback(
      {.on_epoch_end = [&](int64_t, Logs&) { trained.push_back(model.get_weights()); },
       .on_test_begin = [&](const Logs&) { tested.push_back(model.get_weights()); }});
  const FitArgs args{.epochs = 2,
                     .verbose = 0,
                     .validation_data = ValidationData{data.x, data.y},
                     .shuffle = false};
  FitArgs swapping = args;
  swapping.callbacks = {callbacks::SwapEMAWeights(), watch};
  model.fit(data.x, data.y, swapping);
  auto plain = averaging();
  plain.fit(data.x, data.y, args);
  ASSERT_EQ(tested.size(), 2u);
  EXPECT_GT(difference(trained[1], tested[1]), 1e-4);
  EXPECT_EQ(difference(model.get_weights(), plain.get_weights()), 0);  // training was not affected
  // and the averages are the final weights
  EXPECT_EQ(difference(tested[1], plain.get_weights()), 0);
}

TEST(SwapEMAWeights, EpochsEndWithTheAverages) {
  const auto data = samples(40);
  std::vector<Array> saved;
  auto model = averaging();
  const auto watch = callbacks::LambdaCallback(
      {.on_epoch_end = [&](int64_t, Logs&) { saved = model.get_weights(); }});
  model.fit(data.x, data.y,
            {.epochs = 2,
             .verbose = 0,
             .callbacks = {callbacks::SwapEMAWeights({.swap_on_epoch = true}), watch},
             .shuffle = false});
  EXPECT_EQ(difference(saved, model.get_weights()), 0);
}

TEST(SwapEMAWeights, AnOptimizerWithoutAveragesIsRefused) {
  const auto data = samples(8);
  auto model = classifier();
  EXPECT_ERROR(
      model.fit(data.x, data.y,
                {.verbose = 0, .callbacks = {callbacks::SwapEMAWeights({.swap_on_epoch = true})}}),
      "use_ema");
}

}  // namespace
}  // namespace stoker
