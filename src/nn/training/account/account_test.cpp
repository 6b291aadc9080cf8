#include <chrono>
#include <thread>

#include "nn/model_impl.h"
#include "nn/test_models.h"
#include "nn/training/fit.h"
#include "nn/training/inputs/test_feed.h"
#include "stoker/account_scope.h"
#include "stoker/callbacks/backup_and_restore.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/function.h"
#include "stoker/ops/host_call.h"
#include "support/fake_clock.h"
#include "support/fake_gpu.h"

// The account of an asynchronous device.
namespace stoker {
namespace {

using namespace test;
using ledger::Activity;

constexpr ledger::Time step_time = 1000;
constexpr int64_t epochs = 3, steps = 10, batch = 4, samples_an_epoch = steps * batch;

class AccountOfADevice : public stoker::testing::FakeGpu {
 protected:
  AccountOfADevice() {
    control.step_nanoseconds = step_time;
    control.pass = stoker::testing::FakeClock::pass;
  }
  void fit(const std::vector<CallbackRef>& callbacks, double validation_split = 0,
           int verbose = 0) {
    const auto data = samples(samples_an_epoch);
    model.fit(data.x, data.y,
              {.batch_size = batch,
               .epochs = epochs,
               .verbose = verbose,
               .callbacks = callbacks,
               .validation_split = validation_split});
  }
  ledger::Time total(Activity activity) { return model.impl().fits.last.ledger.total(activity); }

  const stoker::testing::FakeClock clock;
  Sequential model = classifier();
};

TEST_F(AccountOfADevice, StepsTakeWhatTheDeviceTakesWhoeverWaitsForIt) {
  fit({callbacks::LambdaCallback(
      {.on_epoch_end = [](int64_t, Logs&) { stoker::testing::FakeClock::pass(7); }})});
  EXPECT_EQ(total(Activity::step), epochs * steps * step_time);
  EXPECT_EQ(total(Activity::metrics), 0);
  EXPECT_EQ(total(Activity::callback), epochs * 7);
  EXPECT_EQ(model.impl().fits.last.ledger.unexplained(), 0) << model.account();
}

TEST_F(AccountOfADevice, TheRateIsThatOfTheDevice) {
  for (const bool looks : {true, false}) {
    fit(looks ? std::vector<CallbackRef>{std::make_shared<Callback>()}
              : std::vector<CallbackRef>());
    EXPECT_DOUBLE_EQ(model.impl().fits.last.samples_per_second, batch / (step_time * 1e-9));
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "; 30 steps of 1.0 us, 4000000 samples/s",
                        model.account());
    EXPECT_EQ(total(Activity::metrics), 0);
  }
}

TEST_F(AccountOfADevice, AHookBetweenStepsIsNoStep) {
  fit({callbacks::LambdaCallback(
      {.on_train_batch_begin = [](int64_t, const Logs&) { stoker::testing::FakeClock::pass(3); },
       .on_train_batch_end = [](int64_t, const Logs&) { stoker::testing::FakeClock::pass(5); }})});
  EXPECT_EQ(total(Activity::step), epochs * steps * step_time);
  EXPECT_EQ(total(Activity::callback), epochs * steps * 8);
  EXPECT_EQ(model.impl().fits.last.ledger.unexplained(), 0) << model.account();
}

TEST_F(AccountOfADevice, ValidationIsNoStep) {
  fit({}, 0.2);
  EXPECT_EQ(total(Activity::step), epochs * (steps - 2) * step_time);
  EXPECT_EQ(total(Activity::validation), epochs * 2 * step_time);
}

TEST_F(AccountOfADevice, TheProgressLineHasTheTimeOfAStep) {
  ::testing::internal::CaptureStdout();
  fit({}, 0.2, 2);
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "8/8 - 10us - 1us/step - accuracy", text);
}

TEST_F(AccountOfADevice, WhereNobodyLooksTheHostWaitsOnce) {
  fit({});
  EXPECT_EQ(control.waits, 1);
}

TEST_F(AccountOfADevice, DataThatIsSentBatchByBatchIsInput) {
  leave_free(1 << 20);
  const auto few = samples(8);
  model.fit(few.x, few.y, {.batch_size = 4, .verbose = 0});  // allocates its memory
  const Array x = random_array({20000, features});
  model.fit(x, Array(DType::int32, {20000}),
            {.batch_size = 4, .verbose = 0, .steps_per_epoch = 10});
  EXPECT_GE(control.copies_to_device, 10);
  EXPECT_EQ(total(Activity::step), 10 * step_time);
  EXPECT_EQ(total(Activity::input), 0);
}

// The device waits only for the first batch; after that it always has a step to run.
TEST_F(AccountOfADevice, InputThatTheDeviceDoesNotWaitForIsNoInput) {
  constexpr ledger::Time takes = 50'000;
  const auto source = source_of(samples(samples_an_epoch));
  source->on_prepare = source->on_next = [](int64_t) { stoker::testing::FakeClock::pass(takes); };
  nn::fit(model, {run_over(source)}, {.batch_size = batch, .epochs = epochs, .verbose = 0});
  EXPECT_EQ(total(Activity::input), takes);
  EXPECT_EQ(total(Activity::step),
            epochs * steps * step_time + (epochs * steps - 1 + epochs - 1) * takes);
  EXPECT_EQ(model.impl().fits.last.ledger.unexplained(), 0) << model.account();
}

TEST_F(AccountOfADevice, ACallbackForEveryManyBatchesCostsNothingUntilThen) {
  const TemporaryFolder folder;
  fit({std::make_shared<Callback>()});
  const auto runs = control.runs, waits = control.waits, copies = control.copies_to_host;
  fit({callbacks::BackupAndRestore({.backup_dir = folder / "backup", .save_freq = 100000})});
  EXPECT_EQ(control.runs, 2 * runs);
  EXPECT_EQ(control.waits, 2 * waits);
  EXPECT_EQ(control.copies_to_host, 2 * copies);
}

double seconds_of(const Account& account, const std::string& cause) {
  for (const auto& part : account.parts)
    if (part.cause == cause) return part.seconds;
  return 0;
}
double sum_of(const Account& account) {
  double sum = 0;
  for (const auto& part : account.parts) sum += part.seconds;
  return sum;
}

TEST_F(AccountOfADevice, ItsOwnClockTellsWhenItWorked) {
  fit({callbacks::LambdaCallback(
      {.on_epoch_end = [](int64_t, Logs&) { stoker::testing::FakeClock::pass(500); }})});
  const auto measured = model.impl().fits.last_run.measured;
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->busy, epochs * steps * step_time);
  EXPECT_EQ(measured->idle[static_cast<size_t>(Activity::callback)], epochs * 500);
  const Account account = model.account_data();
  EXPECT_EQ(account.run, "fit");
  EXPECT_EQ(account.steps, epochs * steps);
  EXPECT_NEAR(sum_of(account), account.wall, 1e-12);
  EXPECT_NEAR(account.wall, 1e-9 * (epochs * steps * step_time + epochs * 500), 1e-12);
}

TEST_F(AccountOfADevice, InputThatItWaitsForIsIdleTime) {
  constexpr ledger::Time takes = 50'000;
  const auto source = source_of(samples(samples_an_epoch));
  source->on_next = [](int64_t) { stoker::testing::FakeClock::pass(takes); };
  const auto waits = callbacks::LambdaCallback({.on_train_batch_end = [](int64_t, const Logs&) {}});
  nn::fit(model, {run_over(source)},
          {.batch_size = batch, .epochs = 1, .verbose = 0, .callbacks = {waits}});
  const auto measured = model.impl().fits.last_run.measured;
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->idle[static_cast<size_t>(Activity::input)], steps * takes);
  EXPECT_EQ(model.account_data().advice.at(0).cause, "input");
}

TEST_F(AccountOfADevice, EvaluateAndPredictHaveOne) {
  const auto data = samples(samples_an_epoch);
  model.evaluate(data.x, data.y, {.batch_size = batch, .verbose = 0});
  Account account = model.account_data();
  EXPECT_EQ(account.run, "evaluate");
  EXPECT_EQ(account.steps, steps);
  EXPECT_EQ(account.samples, samples_an_epoch);
  EXPECT_NEAR(sum_of(account), account.wall, 1e-12);
  EXPECT_EQ(model.impl().fits.last_run.measured->busy, steps * step_time);
  model.predict(data.x, {.batch_size = batch});
  account = model.account_data();
  EXPECT_EQ(account.run, "predict");
  EXPECT_EQ(account.steps, steps);
  EXPECT_NEAR(sum_of(account), account.wall, 1e-12);
}

// A batch is made for its type before the data is opened.
TEST_F(AccountOfADevice, TheLookAtADatasetsFirstElementIsSetup) {
  constexpr ledger::Time takes = 900;
  const auto data = samples(samples_an_epoch);
  const auto slow = [](const Array& x, const Array& y) {
    stoker::testing::FakeClock::pass(takes);
    return std::pair(x, y);
  };
  const Dataset batches = Dataset::from_tensor_slices({data.x, data.y}).map(slow).batch(batch);
  model.fit(batches, {.epochs = epochs, .verbose = 0});
  EXPECT_GE(total(Activity::setup), batch * takes);
  Account account = model.account_data();
  EXPECT_NEAR(sum_of(account), account.wall, 1e-12);
  model.evaluate(batches, {.verbose = 0});
  account = model.account_data();
  EXPECT_GE(seconds_of(account, "setup"), 0.999e-9 * batch * takes);
  EXPECT_NEAR(sum_of(account), account.wall, 1e-12);
}

// What is called after the last step, and closing the data, are in the account.
TEST_F(AccountOfADevice, EvaluateAndPredictGoToTheirEnd) {
  const auto data = samples(samples_an_epoch);
  const auto takes = [](const Logs&) { stoker::testing::FakeClock::pass(700); };
  const auto ends = callbacks::LambdaCallback({.on_test_end = takes, .on_predict_end = takes});
  model.evaluate(data.x, data.y, {.batch_size = batch, .verbose = 0, .callbacks = {ends}});
  Account account = model.account_data();
  EXPECT_NEAR(account.wall, 1e-9 * (steps * step_time + 700), 1e-12);
  EXPECT_NEAR(seconds_of(account, "callbacks"), 700e-9, 1e-12);
  EXPECT_NEAR(sum_of(account), account.wall, 1e-12);
  EXPECT_NEAR(account.samples_per_second, samples_an_epoch / account.wall, 1);
  model.predict(data.x, {.batch_size = batch, .callbacks = {ends}});
  account = model.account_data();
  EXPECT_NEAR(account.wall, 1e-9 * (steps * step_time + 700), 1e-12);
  EXPECT_NEAR(seconds_of(account, "callbacks"), 700e-9, 1e-12);
}

TEST_F(AccountOfADevice, IsThereWhileTheFitRuns) {
  std::vector<int64_t> done;
  fit({callbacks::LambdaCallback(
      {.on_epoch_end = [&](int64_t, Logs&) { done.push_back(model.account_data().steps); }})});
  EXPECT_EQ(done, (std::vector<int64_t>{steps, 2 * steps, 3 * steps}));
}

TEST_F(AccountOfADevice, ALoopOfOnesOwnBooksWhatItsThreadDoes) {
  const auto data = samples(batch);
  const AccountScope scope;
  for (int i = 0; i < 5; ++i) {
    model.train_on_batch(data.x, data.y);
    stoker::testing::FakeClock::pass(300);
  }
  const Account account = scope.account();
  EXPECT_EQ(account.run, "loop");
  EXPECT_EQ(account.steps, 5);
  EXPECT_EQ(account.samples, 5 * batch);
  EXPECT_EQ(account.batch_size, batch);
  EXPECT_NEAR(sum_of(account), account.wall, 1e-12);
  EXPECT_NEAR(seconds_of(account, "outside"), 5 * 300e-9, 50e-9);  // less its own cost
  EXPECT_EQ(account.advice.at(0).cause, "outside");
  EXPECT_NE(account.advice.at(0).place.find("account_test.cpp"), std::string::npos);
}

TEST(AccountOfALoop, HasFunctionsDatasetsAndCompiling) {
  const auto twice = function([](const Tensor& x) { return x + x; });
  const Dataset rows = Dataset::from_tensor_slices(random_array({6, 3}));
  Account account;
  {
    const AccountScope scope;
    for (const Element& row : rows) {
      twice(row.array()).array();
      // The time outside is less the cost of time stamps, which is large for some clocks.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    account = scope.account();
  }
  EXPECT_EQ(account.steps, 6);
  for (const char* part : {"working", "input", "metrics", "compile", "outside"})
    EXPECT_GT(seconds_of(account, part), 0) << part;
  EXPECT_NEAR(sum_of(account), account.wall, 1e-9);
}

TEST(AccountOfALoop, KnowsTheStagesOfItsDatasetAndEndsWhereItIsStopped) {
  const stoker::testing::FakeClock clock;
  const Device cpu("/cpu:0");  // a GPU's own clock does not know the fake one
  const auto twice = function([](const Tensor& x) { return x + x; });
  const auto slow = [] {
    return [made = 0]() mutable -> std::optional<Element> {
      stoker::testing::FakeClock::pass(5000);
      return made++ < 4 ? std::optional(Element(random_array({3}))) : std::nullopt;
    };
  };
  const auto spec = Dataset::from_tensor_slices(random_array({4, 3})).element_spec();
  AccountScope scope;
  for (const Element& row : Dataset::from_generator(slow, spec)) {
    twice(row.array());
    stoker::testing::FakeClock::pass(4000);  // during which the next element could be made
  }
  scope.stop();
  const double wall = scope.account().wall;
  stoker::testing::FakeClock::pass(1'000'000);
  twice(random_array({3}));
  EXPECT_EQ(scope.account().steps, 4);
  EXPECT_EQ(scope.account().wall, wall);
  EXPECT_EQ(scope.account().advice.at(0).cause, "no_prefetch");
}

TEST(AccountOfALoop, BooksFunctionsOnTheHost) {
  const HostFunction same(
      [](const std::vector<Array>& in) -> std::vector<Array> { return {in[0]}; });
  const auto step = function([&](const Tensor& x) { return ops::host_call(x, same); });
  const AccountScope scope;
  for (int i = 0; i < 4; ++i) step(random_array({3}));
  const Account account = scope.account();
  EXPECT_GT(seconds_of(account, "host op"), 0);
  EXPECT_NEAR(sum_of(account), account.wall, 1e-9);
}

TEST(AccountOfALoop, EndsWithItsScope) {
  const auto twice = function([](const Tensor& x) { return x + x; });
  const AccountScope outer;
  {
    const AccountScope inner;
    twice(random_array({2}));
    EXPECT_EQ(inner.account().steps, 1);
  }
  twice(random_array({2}));
  EXPECT_EQ(outer.account().steps, 1);
}

}  // namespace
}  // namespace stoker
