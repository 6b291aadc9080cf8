#include "nn/test_models.h"

namespace stoker {
namespace {

using namespace test;

TEST(BadInput, AShapeMismatchNamesLayerBothShapesAndAWayOut) {
  auto model = classifier();
  const Array wide = random_array({4, features + 1});
  EXPECT_ERROR(model.fit(wide, samples(4).y, {.verbose = 0}), "(None, 6), got (4, 7)");
  EXPECT_ERROR(model.predict(wide), "(None, 6), got (4, 7). At");
  EXPECT_ERROR(model.predict(wide), "Hint: give data of that shape");
  EXPECT_ERROR(model.predict(random_array({4, 2, 3})), "Hint: a sample has as many values");
  Sequential open({layers::Dense({.units = 4, .name = "first"})});
  open.predict(random_array({2, 3}));
  const std::string text = error_of([&] { open.predict(random_array({2, 5, 7})); });
  for (const char* part : {"expects last dim 3", "(2, 5, 7)", "first\"",
                           "bad_input_test.cpp:", "add Flatten before it"})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, text);
}

TEST(BadInput, ALabelOutOfRangeNamesSampleAndValue) {
  auto model = classifier();
  auto data = samples(12);
  const auto before = model.get_weights();
  data.y.mutable_data<int32_t>()[9] = 3;
  EXPECT_ERROR(model.fit(data.x, data.y, {.batch_size = 4, .verbose = 0}),
               "sample 9 has label 3, but output 0");
  EXPECT_ERROR(model.evaluate(data.x, data.y, {.verbose = 0}), "sample 9 has label 3");
  EXPECT_ERROR(model.train_on_batch(data.x, data.y), "classes 0 to 2");
  data.y.mutable_data<int32_t>()[9] = -1;
  const auto good = samples(12);
  const std::string text = error_of([&] {
    model.fit(good.x, good.y, {.verbose = 0, .validation_data = ValidationData{data.x, data.y}});
  });
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "sample 9 has label -1", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "the validation data", text);
  EXPECT_EQ(difference(model.get_weights(), before), 0);
}

TEST(BadInput, ValidationShapesAreCheckedBeforeTraining) {
  auto model = classifier();
  const auto before = model.get_weights();
  const auto data = samples(12);
  EXPECT_ERROR(
      model.fit(data.x, data.y,
                {.verbose = 0, .validation_data = ValidationData{random_array({12, 2}), data.y}}),
      "the validation data");
  EXPECT_EQ(difference(model.get_weights(), before), 0);
}

TEST(BadInput, DataThatIsEmptyOrOfDifferentLength) {
  auto model = classifier();
  const auto data = samples(12);
  EXPECT_ERROR(model.fit(Array(DType::float32, {0, features}), Array(DType::int32, Shape{0})),
               "the data is empty: x has shape (0, 6)");
  EXPECT_ERROR(model.fit({}, data.y), "x is missing");
  EXPECT_ERROR(model.fit(data.x, data.y.rows(0, 7)),
               "x has 12 samples, but y[0] of shape (7,) has 7");
  EXPECT_ERROR(model.fit(data.x, data.y, {.sample_weight = random_array({3})}),
               "sample_weight[0] of shape (3,) has 3");
  EXPECT_ERROR(model.fit(Array::scalar(1.0f), data.y), "is a scalar");
  EXPECT_ERROR(model.fit({data.x, data.x}, data.y, {.verbose = 0}), "takes 1 inputs, got 2");
  EXPECT_ERROR(model.fit(data.x, {data.y, data.y}, {.verbose = 0}), "2 targets were given");
}

TEST(BadInput, ArgumentsOutOfRange) {
  auto model = classifier();
  const auto data = samples(4);
  EXPECT_ERROR(model.fit(data.x, data.y, {.batch_size = 0}), "batch_size must be positive, got 0");
  EXPECT_ERROR(model.fit(data.x, data.y, {.epochs = -1}), "epochs must not be negative, got -1");
  EXPECT_ERROR(model.fit(data.x, data.y, {.validation_split = 1}), "[0, 1), got 1");
  EXPECT_ERROR(model.fit(data.x, data.y, {.validation_split = 0.9}), "leaves nothing for training");
  EXPECT_ERROR(model.fit(data.x, data.y, {.initial_epoch = -1}),
               "initial_epoch must not be negative, got -1");
  EXPECT_ERROR(model.fit(data.x, data.y, {.steps_per_epoch = -3}),
               "steps_per_epoch must not be negative, got -3; 0 takes what the data gives");
  EXPECT_ERROR(model.fit(data.x, data.y, {.validation_steps = -3}), "validation_steps must not be");
  EXPECT_ERROR(model.fit(data.x, data.y, {.validation_batch_size = -3}),
               "validation_batch_size must not be negative, got -3");
  EXPECT_ERROR(model.fit(data.x, data.y, {.validation_freq = 0}),
               "validation_freq must be positive, got 0");
  EXPECT_ERROR(model.evaluate(data.x, data.y, {.batch_size = -2}),
               "evaluate: batch_size must be positive, got -2");
  EXPECT_ERROR(model.evaluate(data.x, data.y, {.steps = -1}),
               "evaluate: steps must not be negative, got -1; 0 takes what the data gives");
  EXPECT_ERROR(model.predict(data.x, {.batch_size = 0}), "predict: batch_size must be positive");
  EXPECT_ERROR(model.predict(data.x, {.steps = -1}), "predict: steps must not be negative, got -1");
  Sequential fresh({layers::Dense({.units = 1})});
  EXPECT_ERROR(fresh.fit(data.x, data.y), "call compile first");
}

TEST(BadInput, UnknownNamesSayWhatWasMeant) {
  auto model = classifier();
  EXPECT_ERROR(layers::Dense({.units = 1, .activation = "rellu"}), "did you mean \"relu\"?");
  EXPECT_ERROR(model.compile({.optimizer = "adan"}), "did you mean \"Adam\"?");
  EXPECT_ERROR(model.compile({.optimizer = "adam", .loss = {"sparse_categorical_crossentropi"}}),
               "did you mean \"sparse_categorical_crossentropy\"?");
  EXPECT_ERROR(model.compile({.optimizer = "adam", .metrics = {"sparse_categorical_acuracy"}}),
               "did you mean \"sparse_categorical_accuracy\"?");
  EXPECT_ERROR(model.compile({.optimizer = "adam", .output_metrics = {{"no_such_thing"}}}),
               "unknown metric \"no_such_thing\"");
  EXPECT_ERROR(make_layer_from_config("Dens", Config::map()), "did you mean \"Dense\"?");
  EXPECT_ERROR(make_layer_from_config("Dense", Config::map({{"unit", 3}})), "\"units\"");
  EXPECT_ERROR(model.get_layer("nothing_like_it"), "has no layer");
}

TEST(BadInput, UnknownNamesListEachThingOnce) {
  const auto hint_of = [](auto&& make) {
    try {
      make();
    } catch (const InvalidArgument& error) {
      return error.hint();
    }
    return std::string();
  };
  const std::string optimizers = hint_of([] { OptimizerRef{"foo"}; });
  EXPECT_TRUE(optimizers.starts_with("known are: Adadelta, Adafactor, ")) << optimizers;
  EXPECT_NE(optimizers.find(" AdamW, "), std::string::npos) << optimizers;
  for (const char* alias : {" adam,", " adamw,", " adam_w,", " rmsprop,", " sgd"})
    EXPECT_EQ(optimizers.find(alias), std::string::npos) << optimizers;
  const std::string losses = hint_of([] { LossRef{"nothing_like_it"}; });
  EXPECT_NE(losses.find("MeanSquaredError"), std::string::npos) << losses;
  for (const char* alias : {"mse", "MSE", "mean_squared_error", "ce", "kld"})
    EXPECT_EQ(losses.find(std::string(" ") + alias + ","), std::string::npos) << losses;
  const std::string layers =
      hint_of([] { make_layer_from_config("NothingLikeIt", Config::map()); });
  EXPECT_NE(layers.find("Dense, "), std::string::npos) << layers;
  EXPECT_EQ(layers.find("dense"), std::string::npos) << layers;
}

}  // namespace
}  // namespace stoker
