#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "data/stage.h"
#include "distribution/collectives.h"
#include "nn/model_impl.h"
#include "nn/test_models.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/distribution.h"
#include "stoker/function.h"
#include "stoker/gradient_tape.h"
#include "stoker/layers/batch_normalization.h"
#include "stoker/metrics/mean.h"
#include "stoker/metrics/mean_absolute_error.h"
#include "stoker/ops/all_reduce.h"
#include "stoker/ops/reduce.h"
#include "stoker/optimizers/sgd.h"

// They pass with any number of processes; tests/cli/distribution_training_test.py starts two and
// three.
namespace stoker {
namespace {

using namespace test;

constexpr int64_t rows = 12, batch_size = 5;  // the last batch of 2 is not divided among 3 ranks

LayerRef regression() {
  set_random_seed(5);
  return Sequential({Input({.shape = {features}}), layers::Dense({.units = 2})});
}

struct Regression {
  Array x = random_array({rows, features}), y = random_array({rows, 2}, 2);
  LayerRef network = regression();

  double error(int64_t begin, int64_t end) const {  // the mean absolute error of these rows
    const Array out = network(Tensor(x.rows(begin, end))).array(), wanted = y.rows(begin, end);
    double sum = 0;
    for (int64_t i = 0; i < out.size(); ++i) sum += std::abs(out.at(i) - wanted.at(i));
    return sum / static_cast<double>(out.size());
  }
};

const FitArgs two_epochs{.batch_size = batch_size, .epochs = 2, .verbose = 0, .shuffle = false};

// Returns a metric's result after it was updated in the same step, as Keras's guides do.
class Reporting : public Model {
 public:
  explicit Reporting(const LayerRef& network) : Model(network) {
    compile({.optimizer = optimizers::SGD({.learning_rate = 0}), .loss = "mse"});
  }
  StepLogs train_step(const StepData& data) override {
    const Tensor output = network()(data.x[0]);
    error->update_state(data.y[0], output);
    batches->update_state(LossRef("mae")(data.y[0], output), {});
    return {{"error", error->result()}, {"batches", batches->result()}};
  }
  std::vector<std::shared_ptr<Metric>> metrics() const override { return {error, batches}; }
  std::shared_ptr<Metric> error = metrics::MeanAbsoluteError(),
                          batches = metrics::Mean({.name = "batches"});
};

double mean_of_batches(const Regression& task) {
  return (task.error(0, 5) + task.error(5, 10) + task.error(10, 12)) / 3;
}

TEST(Ranks, AnOwnStepReportsTheMetricsOfAllRows) {
  const Regression task;
  Reporting model(task.network);
  const History history = model.fit(task.x, task.y, two_epochs);
  EXPECT_NEAR(history["error"].back(), task.error(0, rows), 1e-6);
  EXPECT_NEAR(history["batches"].back(), mean_of_batches(task), 1e-6);
  EXPECT_NEAR(model.error->result().item(), task.error(0, rows), 1e-6);
}

// A function that returns one number has as much weight in every batch.
TEST(Ranks, AMetricThatIsOneNumberIsThatOfTheWholeBatch) {
  const Regression task;
  Model model(task.network);
  const auto one_number = [](const Tensor& y_true, const Tensor& y_pred) {
    return ops::mean(ops::abs(y_true - y_pred));
  };
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0}),
                 .loss = "mse",
                 .metrics = {MetricRef(one_number, "number"), "mae"}});
  const History history = model.fit(task.x, task.y, two_epochs);
  EXPECT_NEAR(history["number"].back(), mean_of_batches(task), 1e-6);
  EXPECT_NEAR(history["mae"].back(), task.error(0, rows), 1e-6);
}

TEST(Ranks, AStrategyRunAddsToMetricsWhatAllRanksHave) {
  const distribution::MirroredStrategy strategy;
  const Regression task;
  const auto error = metrics::MeanAbsoluteError();
  const auto update = [&](const Tensor& x, const Tensor& y) {
    error->update_state(y, task.network(x));
    return error->result();
  };
  const auto traced = function(update);
  const auto batches = strategy.experimental_distribute_dataset(
      Dataset::from_tensor_slices({task.x, task.y}).batch(batch_size));
  for (const auto& batch : batches) strategy.run(traced, batch);
  EXPECT_NEAR(error->result().item(), task.error(0, rows), 1e-6);
  error->reset_state();
  for (const auto& batch : batches) strategy.run(update, batch);
  EXPECT_NEAR(error->result().item(), task.error(0, rows), 1e-6);
}

// One number for each row.
Tensor target_sum_of_each_row(const Tensor&, const Tensor& y) { return ops::sum(y, {.axis = {1}}); }
Tensor target_sum(const Tensor& x, const Tensor& y) {
  return ops::sum(target_sum_of_each_row(x, y));
}

TEST(Ranks, AStrategyReducesValuesAndTheirRows) {
  using distribution::ReduceOp;
  const distribution::MirroredStrategy strategy;
  const Regression task;
  const auto batches = strategy.experimental_distribute_dataset(
      Dataset::from_tensor_slices({task.x, task.y}).batch(batch_size));
  double of_values = 0, of_rows = 0, mean = 0, all = 0, last = 0;
  for (const auto& batch : batches) {
    of_values += strategy.reduce(ReduceOp::SUM, strategy.run(target_sum, batch)).at(0);
    const Tensor rows_here = strategy.run(target_sum_of_each_row, batch);
    of_rows += strategy.reduce(ReduceOp::SUM, rows_here, 0).at(0);
    mean = strategy.reduce(ReduceOp::MEAN, rows_here, -1).at(0);
  }
  for (int64_t i = 0; i < task.y.size(); ++i) all += task.y.at(i);
  for (int64_t i = 0; i < 4; ++i) last += task.y.at(task.y.size() - 4 + i) / 2;  // of two rows
  EXPECT_NEAR(of_values, all, 1e-5);
  EXPECT_NEAR(of_rows, all, 1e-5);
  const auto weighted = strategy.experimental_distribute_dataset(
      Dataset::from_tensor_slices({task.x, task.y, task.y}).batch(rows));
  const auto product = function([](const Tensor& x, const Tensor& y, const Tensor& weight) {
    return ops::sum(x) * 0.0 + ops::sum(y * weight);
  });
  double squares = 0;
  for (int64_t i = 0; i < task.y.size(); ++i) squares += task.y.at(i) * task.y.at(i);
  for (const auto& batch : weighted)
    EXPECT_NEAR(strategy.reduce(ReduceOp::SUM, strategy.run(product, batch)).at(0), squares, 1e-4);
  EXPECT_NEAR(mean, last, 1e-5);
  const Array ones = Array::scalar(1.0F);
  EXPECT_EQ(strategy.reduce(ReduceOp::SUM, ones).at(0), strategy.num_replicas_in_sync());
  EXPECT_EQ(strategy.reduce(ReduceOp::MEAN, ones).at(0), 1);
}

// The last batch of each epoch is not divided among 3 ranks.
TEST(Ranks, AStrategyTrainsLikeFit) {
  const distribution::MirroredStrategy strategy;
  const Regression task;
  Model fitted(regression()), looped(regression());
  fitted.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  fitted.fit(task.x, task.y, two_epochs);
  const OptimizerRef optimizer = optimizers::SGD({.learning_rate = 0.1});
  const LossRef loss_of("mse");
  const auto train_step = function([&](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor loss = loss_of(y, looped(x, {.training = true}));
    const auto variables = looped.trainable_variables();
    optimizer->apply_gradients(tape.gradient(loss, variables), variables);
    return loss;
  });
  const auto batches = strategy.experimental_distribute_dataset(
      Dataset::from_tensor_slices({task.x, task.y}).batch(batch_size));
  for (int64_t epoch = 0; epoch < two_epochs.epochs; ++epoch)
    for (const auto& batch : batches) strategy.run(train_step, batch);
  EXPECT_LT(difference(looped.get_weights(), fitted.get_weights()), 1e-6);
}

Array unchanged_array(const Array& x) { return x; }
Dataset range_up_to(const Array& x) { return Dataset::range(static_cast<int64_t>(x.at(0))); }

// Otherwise ranks would take their rows of different batches.
TEST(Ranks, ReadInOneOrderWhateverADatasetAllows) {
  distribution::initialize();
  const bool one_order = distribution::num_processes() > 1;
  const Dataset range = Dataset::range(9);
  const Dataset mapped =
      range.map(unchanged_array, {.num_parallel_calls = 2, .deterministic = false});
  const Dataset interleaved =
      range.interleave(range_up_to, {.num_parallel_calls = 2, .deterministic = false});
  EXPECT_EQ(mapped.stage()->keeps_order(), one_order);
  EXPECT_EQ(interleaved.stage()->keeps_order(), one_order);
}

TEST(Ranks, StopWhereTheFirstOneDoes) {
  const Regression task;
  Model model(task.network);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  int64_t batches = 0, epochs = 0;
  distribution::initialize();
  const bool decides = distribution::process_id() == 0;
  FitArgs args{.batch_size = 3, .epochs = 5, .verbose = 0};
  args.callbacks = {callbacks::LambdaCallback(
      {.on_epoch_end = [&](int64_t, Logs&) { ++epochs; },
       .on_train_batch_end =
           [&](int64_t, const Logs&) { model.stop_training = ++batches == 6 && decides; }})};
  model.fit(task.x, task.y, args);
  EXPECT_EQ(batches, 6);
  EXPECT_EQ(epochs, 2);
  batches = -100;  // the last launch of an epoch, and no batch
  epochs = 0;
  args.callbacks = {callbacks::LambdaCallback({.on_epoch_end = [&](int64_t epoch, Logs&) {
    ++epochs;
    if (decides) model.stop_training = epoch == 2;
  }})};
  model.fit(task.x, task.y, args);
  EXPECT_EQ(epochs, 3);
}

// Trains with a callback that gives every rank another rate. All have the weights of rank 0, whose
// rate is the last one.
void expect_the_rate_of_the_first(const std::vector<CallbackRef>& given, Model& model) {
  const Regression task;
  FitArgs args = two_epochs;
  args.callbacks = given;
  model.fit(task.x, task.y, args);
  EXPECT_EQ(model.optimizer().learning_rate(), 0.5);
  std::vector<Array> first = model.get_weights();
  for (Array& array : first)
    distribution::broadcast(std::as_writable_bytes(array.mutable_data<float>()));
  EXPECT_EQ(difference(model.get_weights(), first), 0);
}

// A LambdaCallback is called for the begins of batches, too.
class RateAtTheEndOfBatches : public Callback {
  void on_epoch_begin(int64_t, const Logs&) override { model().optimizer().set_learning_rate(0.1); }

 public:
  void on_train_batch_end(int64_t, const Logs&) override {
    model().optimizer().set_learning_rate(0.5 + distribution::process_id());
  }
};

TEST(Ranks, LearnAtTheRateOfTheFirstOne) {
  const Regression task;
  Model model(task.network);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  distribution::initialize();
  const auto set = [&] { model.optimizer().set_learning_rate(0.5 + distribution::process_id()); };
  using callbacks::LambdaCallback;
  const auto for_number = [&](int64_t, const Logs&) { set(); };
  expect_the_rate_of_the_first({LambdaCallback({.on_epoch_begin = for_number})}, model);
  expect_the_rate_of_the_first({LambdaCallback({.on_epoch_end = [&](int64_t, Logs&) { set(); }})},
                               model);
  expect_the_rate_of_the_first({LambdaCallback({.on_train_batch_begin = for_number})}, model);
  expect_the_rate_of_the_first({std::make_shared<RateAtTheEndOfBatches>()}, model);
}

// A program may give callbacks to one rank only.
TEST(Ranks, LearnAtTheRateThatCallbacksOfOneSet) {
  const Regression task;
  Model model(task.network);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  distribution::initialize();
  const auto set = [&] { model.optimizer().set_learning_rate(0.5); };
  std::vector<CallbackRef> given;
  if (distribution::process_id() == 0)
    given.push_back(
        callbacks::LambdaCallback({.on_train_batch_begin = [&](int64_t, const Logs&) { set(); },
                                   .on_train_batch_end = [&](int64_t, const Logs&) { set(); }}));
  expect_the_rate_of_the_first(given, model);
}

// Sets other weights on every rank.
void set_own_weights(Model& model) {
  std::vector<Array> weights = model.get_weights();
  for (Array& array : weights)
    for (float& value : array.mutable_data<float>())
      value += static_cast<float>(distribution::process_id());
  model.set_weights(weights);
}

TEST(Ranks, TrainOnBatchBeginsWithTheWeightsOfTheFirstOne) {
  const Regression task;
  Model model(task.network), alone(regression());
  for (Model* one : {&model, &alone})
    one->compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  distribution::initialize();
  set_own_weights(model);
  model.train_on_batch(task.x, task.y);
  GradientTape tape;
  const Tensor loss = LossRef("mse")(Tensor(task.y), alone.network()(Tensor(task.x)));
  const auto variables = alone.trainable_variables();
  alone.optimizer().apply_gradients(tape.gradient(loss, variables), variables);
  EXPECT_LT(difference(model.get_weights(), alone.get_weights()), 1e-6);
}

// The moving variance of a BatchNormalization after one step.
double moving_variance(const Array& x, bool synchronized) {
  Model model(Sequential({Input({.shape = {features}}),
                          layers::BatchNormalization({.momentum = 0, .synchronized = synchronized}),
                          layers::Dense({.units = 1})}));
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0}), .loss = "mse"});
  model.fit(x, Array(DType::float32, {x.length(), 1}),
            {.batch_size = x.length(), .verbose = 0, .shuffle = false});
  return model.get_weights()[3].at(0);
}

// Of the first column.
double variance(const Array& x) {
  double sum = 0, squares = 0;
  for (int64_t row = 0; row < x.length(); ++row) {
    const double value = x.at(row * features);
    sum += value, squares += value * value;
  }
  const auto count = static_cast<double>(x.length());
  return squares / count - sum / count * sum / count;
}

TEST(Ranks, NormalizeByTheirOwnRowsUnlessSynchronized) {
  const Regression task;
  EXPECT_NEAR(moving_variance(task.x, true), variance(task.x), 1e-6);
  double mean_of_ranks = 0;
  const int64_t ranks = distribution::num_processes(), each = rows / ranks;
  for (int64_t rank = 0; rank < ranks; ++rank)
    mean_of_ranks += variance(task.x.rows(rank * each, (rank + 1) * each));
  mean_of_ranks /= static_cast<double>(ranks);
  EXPECT_NEAR(moving_variance(task.x, false), mean_of_ranks, 1e-6);
}

// The rows are divided by run already.
TEST(Ranks, TrainOnBatchIsRefusedInsideAStrategysRun) {
  const distribution::MirroredStrategy strategy;
  const Regression task;
  Model model(task.network);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto trains = [&](const Tensor& x, const Tensor& y) {
    return model.train_on_batch(x.array(), y.array());
  };
  const auto tests = [&](const Tensor& x, const Tensor& y) {
    return model.test_on_batch(x.array(), y.array());
  };
  const auto batches = strategy.experimental_distribute_dataset(
      Dataset::from_tensor_slices({task.x, task.y}).batch(rows));
  const auto run = [&](const auto& step) {
    for (const auto& batch : batches) strategy.run(step, batch);
  };
  if (distribution::num_processes() == 1) {
    EXPECT_NO_THROW(run(trains));
    return;
  }
  EXPECT_ERROR(run(trains), "train_on_batch was called inside a strategy's run");
  EXPECT_ERROR(run(tests), "test_on_batch was called inside a strategy's run");
}

// The sums that rank 1 adds first rank 0 adds last, for batches of so many rows or fewer.
class Unordered : public Model {
 public:
  explicit Unordered(const LayerRef& network, int64_t most_rows = rows)
      : Model(network), most_rows_(most_rows) {
    compile({.optimizer = "sgd", .loss = "mse"});
  }
  StepLogs train_step(const StepData& data) override {
    Tensor a = ops::sum(data.x[0]), b = ops::sum(data.y[0], {.axis = {0}});
    if (distribution::process_id() == 0 || data.x[0].shape()[0] > most_rows_) {
      a = ops::all_reduce(a);
      b = ops::all_reduce(b);
    } else {
      b = ops::all_reduce(b);
      a = ops::all_reduce(a);
    }
    return {{"sum", a + ops::sum(b)}};
  }

 private:
  const int64_t most_rows_;
};

TEST(RanksAlone, AddInTheSameOrderOrNotAtAll) {
  const Regression task;
  Unordered model(task.network);
  distribution::initialize();
  if (distribution::num_processes() == 1) GTEST_SKIP();
  EXPECT_ERROR(model.fit(task.x, task.y, two_epochs),
               "the order of the sums over all ranks of rank 1 is not that of rank 0");
}

// The step of a last batch whose rows nobody knew is compiled in the middle of the epoch.
TEST(RanksAlone, AddInTheSameOrderInALastStep) {
  const Regression task;
  distribution::initialize();
  const int64_t ranks = distribution::num_processes();
  if (ranks == 1) GTEST_SKIP();
  const int64_t full = 2 * ranks, last = ranks;  // so a rank has two rows, and one in the end
  Unordered model(task.network, 1);
  const auto filtered =
      Dataset::from_tensor_slices({task.x.rows(0, full + last), task.y.rows(0, full + last)})
          .filter([](const Element&) { return true; })
          .batch(full);
  EXPECT_ERROR(model.fit(filtered, {.epochs = 1, .verbose = 0}),
               "the order of the sums over all ranks of rank 1 is not that of rank 0");
}

// In a program of its own, whose first call is train_on_batch.
TEST(RanksAlone, TrainOnBatchJoinsTheOthers) {
  const Regression task;
  Model model(task.network);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.train_on_batch(task.x, task.y);
  const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
  EXPECT_EQ(distribution::num_processes(), size ? std::atoi(size) : 1);
}

// Likewise, in a program that only predicts: only rank 0 may print.
TEST(RanksAlone, PredictJoinsTheOthers) {
  const Regression task;
  Model model(task.network);
  model.predict(task.x);
  const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
  EXPECT_EQ(distribution::num_processes(), size ? std::atoi(size) : 1);
}

// Rank 1 of several processes, started with a time limit.
TEST(RanksThatHang, AreNamedBeforeTheFirstStep) {
  distribution::initialize();
  if (distribution::num_processes() == 1) GTEST_SKIP();
  while (distribution::process_id() == 1) std::this_thread::sleep_for(std::chrono::seconds(1));
  distribution::collectives().barrier();
}

TEST(Ranks, FindWhatTheFirstOneSavedBeforeABarrier) {
  Model model(regression());
  distribution::initialize();
  const std::string path = std::filesystem::temp_directory_path() /
                           fmt::format("stoker_ranks_{}.safetensors",
                                       distribution::from_first(static_cast<int64_t>(::getpid())));
  model.save_weights(path);
  distribution::barrier();
  model.load_weights(path);
  distribution::barrier();
  std::filesystem::remove(path);
}

TEST(Ranks, FindWhatTheFirstOneWroteInTheBackground) {
  const Regression task;
  Model model(task.network);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  distribution::initialize();
  const std::string path =
      std::filesystem::temp_directory_path() /
      fmt::format("stoker_ranks_{}", distribution::from_first(static_cast<int64_t>(::getpid())));
  FitArgs args = two_epochs;
  args.callbacks = {callbacks::LambdaCallback({.on_train_end = [&](const Logs&) {
    model.impl().fits.running->writer.submit("file", [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      std::ofstream(path) << "whole";
    });
  }})};
  model.fit(task.x, task.y, args);
  EXPECT_TRUE(std::filesystem::exists(path));
  distribution::collectives().barrier();
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace stoker
