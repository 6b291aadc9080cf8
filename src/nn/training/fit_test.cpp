#include <bit>

#include "nn/test_models.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/metrics/f1_score.h"

namespace stoker {
namespace {

using namespace test;

// Sums its input rows: with the identity matrix as data this shows how often each sample was used,
// and when.
class Watcher : public Model {
 public:
  explicit Watcher(int64_t n)
      : Model(layers::Dense({.units = 1})),
        seen(Array(DType::float32, {n}), "seen"),
        last_step(Array(DType::float32, {n}), "last_step"),
        step(Array::scalar(0.0f), "step") {
    compile({.optimizer = "adam"});
  }
  StepLogs train_step(const StepData& data) override {
    const Tensor rows = ops::sum(data.x[0], {.axis = {0}}), now = step.read() + 1.0;
    seen.assign(seen + rows);
    last_step.assign(last_step * (1.0 - rows) + rows * now);
    step.assign(now);
    return {};
  }
  Variable seen, last_step, step;
};

Array identity(int64_t n) {
  Array array(DType::float32, {n, n});
  for (int64_t i = 0; i < n; ++i) array.mutable_data<float>()[static_cast<size_t>(i * n + i)] = 1;
  return array;
}
Array filled(int64_t n, float value) {
  return Array::from(std::vector<float>(static_cast<size_t>(n), value), {n});
}
std::vector<float> values(const Variable& variable) {
  const Array array = variable.array();
  return {array.data<float>().begin(), array.data<float>().end()};
}

TEST(Fit, LearnsAndRecordsEveryEpoch) {
  auto model = classifier();
  const auto data = samples(200);
  const History history = model.fit(data.x, data.y, {.epochs = 12, .verbose = 0});
  EXPECT_EQ(history["loss"].size(), 12u);
  EXPECT_LT(history["loss"].back(), history["loss"].front() / 2);
  EXPECT_GT(history["accuracy"].back(), 0.85);
  EXPECT_FALSE(history.contains("val_loss"));
}

TEST(Fit, RecordsTheOneValueOfAScorePerClassUnderItsPlainName) {
  Sequential model({Input({.shape = {4}}), layers::Dense({.units = 1, .activation = "sigmoid"})});
  model.compile({.loss = "mse", .metrics = {metrics::F1Score({.threshold = 0.5})}});
  const Array x(DType::float32, {6, 4}), y(DType::float32, {6, 1});
  const History history = model.fit(x, y, {.verbose = 0});
  EXPECT_TRUE(history.contains("f1_score"));
  EXPECT_FALSE(history.contains("f1_score/0"));
}

TEST(Fit, RecordsTheSameWhetherSomebodyLooksAtEveryEpochOrNot) {
  const auto data = samples(40);
  const auto history_of = [&](const std::vector<CallbackRef>& callbacks) {
    set_random_seed(3);
    auto model = classifier();
    return model.fit(data.x, data.y,
                     {.batch_size = 20, .epochs = 150, .verbose = 0, .callbacks = callbacks});
  };
  int64_t looks = 0;
  const History seen = history_of(
      {callbacks::LambdaCallback({.on_epoch_end = [&](int64_t, const Logs&) { ++looks; }})});
  const History unseen = history_of({});
  EXPECT_EQ(looks, 150);
  for (const char* name : {"loss", "accuracy"}) EXPECT_EQ(unseen[name], seen[name]) << name;
}

TEST(Fit, TakesEverySampleOnceAnEpochShuffledOrNot) {
  for (bool shuffle : {true, false}) {
    Watcher model(10);
    model.fit(identity(10), {}, {.batch_size = 4, .epochs = 3, .verbose = 0, .shuffle = shuffle});
    EXPECT_EQ(difference(model.seen.array(), filled(10, 3)), 0);
    EXPECT_EQ(model.step.array().at(0), 9);  // 4 + 4 + 2, three times
  }
}

TEST(Fit, ShufflesAnewEachEpochAndRepeatablyBySeed) {
  const auto orders = [](uint64_t seed) {
    set_random_seed(seed);
    Watcher model(30);
    std::vector<std::vector<float>> found;
    for (int64_t epoch : {0, 1}) {
      model.fit(identity(30), {},
                {.batch_size = 1, .epochs = epoch + 1, .initial_epoch = epoch, .verbose = 0});
      found.push_back(values(model.last_step));
    }
    for (float& when : found[1]) when -= 30;
    return found;
  };
  const auto first = orders(5), again = orders(5), other = orders(6);
  EXPECT_EQ(first, again);
  EXPECT_NE(first[0], other[0]);
  EXPECT_NE(first[0], first[1]);
}

TEST(Fit, TwoFitsInARowTakeDifferentOrders) {
  Watcher model(30);
  const FitArgs args{.batch_size = 1, .verbose = 0};
  model.fit(identity(30), {}, args);
  const auto first = values(model.last_step);
  model.fit(identity(30), {}, args);
  auto second = values(model.last_step);
  for (float& when : second) when -= 30;
  EXPECT_NE(first, second);
}

// As in Keras: the second epoch runs out of data after one step, the third starts over.
TEST(Fit, StepsPerEpochGoesOnWhereItStoppedAndStartsOver) {
  Watcher model(6);
  model.fit(identity(6), {},
            {.batch_size = 2, .verbose = 0, .shuffle = false, .steps_per_epoch = 2});
  EXPECT_EQ(values(model.seen), (std::vector<float>{1, 1, 1, 1, 0, 0}));
  Watcher longer(6);
  longer.fit(identity(6), {},
             {.batch_size = 2, .epochs = 3, .verbose = 0, .shuffle = false, .steps_per_epoch = 2});
  EXPECT_EQ(values(longer.seen), (std::vector<float>{2, 2, 2, 2, 1, 1}));
}

TEST(Fit, ValidationSplitTakesTheLastSamples) {
  auto split = classifier(), given = classifier();
  const auto data = samples(40);
  const auto by_split = split.fit(
      data.x, data.y, {.epochs = 2, .verbose = 0, .validation_split = 0.25, .shuffle = false});
  const auto by_data =
      given.fit(data.x.rows(0, 30), data.y.rows(0, 30),
                {.epochs = 2,
                 .verbose = 0,
                 .validation_data = ValidationData{data.x.rows(30, 40), data.y.rows(30, 40)},
                 .shuffle = false});
  EXPECT_EQ(by_split["loss"], by_data["loss"]);
  EXPECT_EQ(by_split["val_loss"], by_data["val_loss"]);
}

TEST(Fit, ABatchLargerThanTheDataIsAllOfIt) {
  auto large = classifier(), exact = classifier();
  const auto data = samples(10);
  large.fit(data.x, data.y, {.batch_size = 64, .verbose = 0, .shuffle = false});
  exact.train_on_batch(data.x, data.y);
  EXPECT_EQ(difference(large.get_weights(), exact.get_weights()), 0);
}

TEST(Fit, ClassWeightsAreSampleWeightsByLabel) {
  auto by_class = classifier(), by_sample = classifier(), plain = classifier();
  const auto data = samples(20);
  Array weight(DType::float32, {20});
  for (size_t i = 0; i < 20; ++i)
    weight.mutable_data<float>()[i] = data.y.data<int32_t>()[i] == 1 ? 4.0f : 1.0f;
  by_class.fit(data.x, data.y, {.verbose = 0, .shuffle = false, .class_weight = {{1, 4.0}}});
  by_sample.fit(data.x, data.y, {.verbose = 0, .shuffle = false, .sample_weight = weight});
  plain.fit(data.x, data.y, {.verbose = 0, .shuffle = false});
  EXPECT_EQ(difference(by_class.get_weights(), by_sample.get_weights()), 0);
  EXPECT_GT(difference(by_class.get_weights(), plain.get_weights()), 1e-4);
}

TEST(Fit, ClassWeightsDoNotWeighTheValidation) {
  const auto data = samples(40);
  const auto history = [&](const FitArgs& args) {
    return classifier(0).fit(data.x, data.y, args);  // learning rate 0: constant weights
  };
  const auto plain = history({.verbose = 0, .validation_split = 0.5});
  const auto weighted =
      history({.verbose = 0, .validation_split = 0.5, .class_weight = {{0, 3.0}, {1, 4.0}}});
  EXPECT_EQ(weighted["val_loss"], plain["val_loss"]);
  EXPECT_GT(weighted["loss"][0], 1.5 * plain["loss"][0]);
}

// No kernel hides NaN: once in the weights, it is in all results.
void expect_nan(int64_t depth, double epsilon, const Array& x) {
  std::vector<Sequential::Item> items{Input({.shape = {features}})};
  for (int64_t i = 1; i < depth; ++i)
    items.emplace_back(layers::Dense({.units = 16, .activation = "relu"}));
  items.emplace_back(layers::Dense({.units = classes, .activation = "softmax"}));
  Sequential model(items);
  model.compile({.optimizer = optimizers::Adam({.epsilon = epsilon}),
                 .loss = "sparse_categorical_crossentropy"});
  const auto data = samples(64);
  const auto loss = model.fit(x, data.y, {.epochs = 3, .verbose = 0})["loss"];
  for (const double of_epoch : loss) EXPECT_TRUE(std::isnan(of_epoch)) << depth;
  EXPECT_TRUE(std::isnan(*model.evaluate(data.x, data.y, {.verbose = 0}).find("loss"))) << depth;
}

TEST(Fit, OneSampleThatIsNotANumberMakesAllSo) {
  Array x = samples(64).x.clone();
  x.mutable_data<float>()[7] = std::bit_cast<float>(0x7fffffffu);
  for (const int64_t depth : {1, 2, 3}) expect_nan(depth, 1e-7, x);
}

TEST(Fit, ZeroDividedByZeroMakesAllSo) {
  Array x = samples(64).x.clone();
  for (int64_t i = 0; i < 64; ++i) x.mutable_data<float>()[static_cast<size_t>(i * features)] = 0;
  for (const int64_t depth : {1, 2, 3}) expect_nan(depth, 0, x);
}

TEST(Fit, SampleWeightsWeighOnlyWeightedMetrics) {
  auto model = classifier();
  const auto data = samples(20);
  const auto guesses = model.predict(data.x);
  double right = 0;
  Array weight(DType::float32, {20});  // only misclassified samples count
  for (int64_t i = 0; i < 20; ++i) {
    const auto label = static_cast<int64_t>(data.y.at(i));
    bool best = true;
    for (int64_t c = 0; c < classes; ++c)
      best = best && guesses.at(i * classes + label) >= guesses.at(i * classes + c);
    right += best;
    weight.mutable_data<float>()[static_cast<size_t>(i)] = best ? 0.0f : 1.0f;
  }
  model.compile({.optimizer = "adam",
                 .loss = {"sparse_categorical_crossentropy"},
                 .metrics = {"accuracy"},
                 .weighted_metrics = {"sparse_categorical_accuracy"}});
  const Logs logs = model.evaluate(data.x, data.y, {.verbose = 0, .sample_weight = weight});
  EXPECT_NEAR(*logs.find("accuracy"), right / 20, 1e-6);
  EXPECT_EQ(*logs.find("sparse_categorical_accuracy"), 0);
}

TEST(Fit, InitialEpochCountsOn) {
  auto model = classifier();
  const auto data = samples(20);
  const auto history = model.fit(data.x, data.y, {.epochs = 5, .initial_epoch = 3, .verbose = 0});
  EXPECT_EQ(history.epoch, (std::vector<int64_t>{3, 4}));
}

TEST(Fit, TwoFitsAreOneOfBothLengths) {
  auto twice = classifier(), once = classifier();
  const auto data = samples(50);
  for (int i = 0; i < 2; ++i) twice.fit(data.x, data.y, {.verbose = 0, .shuffle = false});
  once.fit(data.x, data.y, {.epochs = 2, .verbose = 0, .shuffle = false});
  EXPECT_EQ(difference(twice.get_weights(), once.get_weights()), 0);
}

TEST(Fit, ValidationFrequencyLeavesEpochsOut) {
  auto model = classifier();
  const auto data = samples(20);
  const auto history = model.fit(
      data.x, data.y, {.epochs = 4, .verbose = 0, .validation_split = 0.5, .validation_freq = 2});
  EXPECT_EQ(history["loss"].size(), 4u);
  EXPECT_EQ(history["val_loss"].size(), 2u);
}

TEST(Fit, CallsTheHooksInOrder) {
  auto model = classifier();
  const auto data = samples(6);
  std::string seen;
  const auto note = [&](const char* what) { return [&seen, what](auto&&...) { seen += what; }; };
  const auto callback = callbacks::LambdaCallback({.on_epoch_begin = note("<"),
                                                   .on_epoch_end = note(">"),
                                                   .on_train_begin = note("["),
                                                   .on_train_end = note("]"),
                                                   .on_train_batch_begin = note("b"),
                                                   .on_train_batch_end = note("e"),
                                                   .on_test_begin = note("("),
                                                   .on_test_end = note(")"),
                                                   .on_test_batch_begin = note("t"),
                                                   .on_test_batch_end = note("u"),
                                                   .on_predict_begin = note("{"),
                                                   .on_predict_end = note("}"),
                                                   .on_predict_batch_begin = note("p"),
                                                   .on_predict_batch_end = note("q")});
  model.fit(data.x, data.y,
            {.batch_size = 2,
             .epochs = 2,
             .verbose = 0,
             .callbacks = {callback},
             .validation_data = ValidationData{data.x, data.y},
             .validation_batch_size = 3});
  EXPECT_EQ(seen, "[<bebebe(tutu)><bebebe(tutu)>]");
  seen.clear();
  model.evaluate(data.x, data.y, {.batch_size = 4, .verbose = 0, .callbacks = {callback}});
  model.predict(data.x, {.batch_size = 4, .callbacks = {callback}});
  EXPECT_EQ(seen, "(tutu){pqpq}");
}

TEST(Fit, StopTrainingEndsAfterTheBatch) {
  auto model = classifier();
  const auto data = samples(40);
  int64_t batches = 0, ends = 0;
  const auto stop = callbacks::LambdaCallback(
      {.on_train_end = [&](const Logs&) { ++ends; },
       .on_train_batch_end = [&](int64_t, const Logs&) { model.stop_training = ++batches == 3; }});
  const auto history =
      model.fit(data.x, data.y, {.batch_size = 4, .epochs = 5, .verbose = 0, .callbacks = {stop}});
  EXPECT_EQ(batches, 3);
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(history.epoch.size(), 1u);
}

TEST(Fit, AccumulatedSmallBatchesAreOneLargeBatch) {
  const auto data = samples(64);
  const auto train = [&](int64_t batch_size, std::optional<int64_t> accumulate) {
    auto model = classifier();
    model.compile({.optimizer = optimizers::Adam({.gradient_accumulation_steps = accumulate}),
                   .loss = {"sparse_categorical_crossentropy"}});
    model.fit(data.x, data.y,
              {.batch_size = batch_size, .epochs = 3, .verbose = 0, .shuffle = false});
    return model.get_weights();
  };
  EXPECT_LT(difference(train(8, 4), train(32, {})), 1e-6);
  EXPECT_GT(difference(train(8, {}), train(32, {})), 1e-3);
}

TEST(Fit, EndsWithTheAveragesOfTheWeights) {
  auto model = classifier();
  model.compile({.optimizer = optimizers::Adam({.use_ema = true, .ema_momentum = 0.5}),
                 .loss = {"sparse_categorical_crossentropy"}});
  const auto data = samples(64);
  std::vector<Array> last;
  model.fit(data.x, data.y,
            {.verbose = 0,
             .callbacks = {callbacks::LambdaCallback(
                 {.on_epoch_end = [&](int64_t, Logs&) { last = model.get_weights(); }})}});
  EXPECT_GT(difference(model.get_weights(), last), 0);
  EXPECT_EQ(difference(model.get_weights()[0], model.optimizer().variables()[2].array()), 0);
}

TEST(Fit, TheAccountAddsUpAndNotesANaN) {
  auto model = classifier();
  const auto data = samples(40);
  model.fit(data.x, data.y, {.verbose = 0});
  EXPECT_EQ(model.account().find("NaN"), std::string::npos);
  auto weights = model.get_weights();
  weights[0].mutable_data<float>()[0] = NAN;
  model.set_weights(weights);
  model.fit(data.x, data.y, {.verbose = 0});
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "the loss was NaN", model.account());
}

}  // namespace
}  // namespace stoker
