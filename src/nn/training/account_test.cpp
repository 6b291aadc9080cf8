#include "nn/model_impl.h"
#include "nn/test_models.h"
#include "nn/training/fit.h"
#include "nn/training/inputs/test_feed.h"
#include "stoker/callbacks/backup_and_restore.h"
#include "stoker/callbacks/lambda_callback.h"
#include "support/fake_clock.h"
#include "support/fake_gpu.h"

// The account of a device that goes on working while the host does something else.
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
  model.fit(few.x, few.y, {.batch_size = 4, .verbose = 0});  // takes its memory
  const Array x = random_array({20000, features});
  model.fit(x, Array(DType::int32, {20000}),
            {.batch_size = 4, .verbose = 0, .steps_per_epoch = 10});
  EXPECT_GE(control.copies_to_device, 10);
  EXPECT_EQ(total(Activity::step), 10 * step_time);
  EXPECT_EQ(total(Activity::input), 0);
}

// The device waits for the first batch alone: behind it, it always has a step to run.
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

}  // namespace
}  // namespace stoker
