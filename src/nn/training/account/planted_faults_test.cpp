#include "nn/model_impl.h"
#include "nn/test_models.h"
#include "nn/training/session.h"
#include "stoker/account_scope.h"
#include "stoker/dataset.h"
#include "stoker/headroom.h"
#include "stoker/layers/global_pooling.h"
#include "support/fake_clock.h"
#include "support/fake_gpu.h"

// Each test plants one fault in a run with step times given by the fake GPU and a simulated clock:
// the account must name it first and predict the gain of the corrected run. tests/faults does the
// same on real devices and clocks.
namespace stoker {
namespace {

using namespace test;
using stoker::testing::FakeClock;

constexpr ledger::Time step_time = 1'000'000;
constexpr int64_t batch = 8, steps = 20;

class PlantedFault : public stoker::testing::FakeGpu {
 protected:
  PlantedFault() {
    control.step_nanoseconds = step_time;
    control.pass = FakeClock::pass;
  }
  Account fit(Model& model, const Callbacks& callbacks = {}, int64_t size = batch) {
    const auto data = samples(steps * batch);
    model.fit(data.x, data.y,
              {.batch_size = size, .epochs = 2, .verbose = 0, .callbacks = callbacks});
    return model.account_data();
  }
  static void expect_named(const std::string& cause, const Account& faulty, const Account& mended) {
    ASSERT_FALSE(faulty.advice.empty()) << faulty.verdict;
    const Advice& first = faulty.advice.front();
    EXPECT_EQ(first.cause, cause) << to_text(faulty);
    for (const Advice& advice : mended.advice) EXPECT_NE(advice.cause, cause) << to_text(mended);
    const double predicted = first.step_now / first.step_then;
    const double measured = faulty.step_seconds / mended.step_seconds;
    EXPECT_NEAR(predicted / measured, 1, 0.15) << predicted << " predicted, then " << measured;
  }
  const FakeClock clock;
  Sequential model = classifier();
};

// A callback that takes some time after each batch, booked under its own cause.
struct AfterEachBatch : Callback {
  AfterEachBatch(ledger::Activity books, ledger::Time takes) : activity(books), time(takes) {}
  void on_train_batch_end(int64_t, const Logs&) override {
    const auto booked = activity == ledger::Activity::checkpoint ? nn::book_checkpoint(model())
                                                                 : nn::book(model(), activity);
    FakeClock::pass(time);
  }
  const ledger::Activity activity;
  const ledger::Time time;
};

TEST_F(PlantedFault, LoggingEachStep) {
  expect_named(
      "callback",
      fit(model, {std::make_shared<AfterEachBatch>(ledger::Activity::callback, 3 * step_time)}),
      fit(model));
}

TEST_F(PlantedFault, MetricsEachBatch) {
  expect_named("metrics",
               fit(model, {std::make_shared<AfterEachBatch>(ledger::Activity::metrics, step_time)}),
               fit(model));
}

TEST_F(PlantedFault, ACheckpointEachStep) {
  expect_named(
      "checkpoint",
      fit(model, {std::make_shared<AfterEachBatch>(ledger::Activity::checkpoint, 9 * step_time)}),
      fit(model));
}

// Tracing takes a given time, so that the time of compiling is known.
struct SlowToTrace : Layer {
  Tensor call(const Tensor& x, const CallArgs&) override {
    FakeClock::pass(2 * step_time);
    return x;
  }
};

TEST_F(PlantedFault, AShapeThatChangesEachStep) {
  set_random_seed(1);
  Sequential slow({Input({.shape = {features}}), make_layer<SlowToTrace>(),
                   layers::Dense({.units = classes, .activation = "softmax"})});
  slow.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  const auto run = [&](bool changes) {
    const AccountScope scope;
    for (int64_t step = 1; step <= steps; ++step) {
      const auto data = samples(changes ? step : steps);
      slow.train_on_batch(data.x, data.y);
    }
    return scope.account();
  };
  const Account mended = run(false);  // its one shape is compiled before the first step
  expect_named("recompile", run(true), mended);
}

TEST_F(PlantedFault, ADatasetWhoseBatchesAllHaveAnotherShape) {
  const auto run = [&](bool changes) {
    set_random_seed(1);
    Sequential slow(
        {make_layer<SlowToTrace>(), layers::GlobalAveragePooling1D(), layers::Dense({.units = 1})});
    slow.compile({.optimizer = "sgd", .loss = "mse"});
    const auto batches = Dataset::range(steps).map([changes](const Array& number) {
      const int64_t length = changes ? 1 + static_cast<int64_t>(number.at(0)) : steps;
      return std::pair(random_array({batch, length, features}), random_array({batch, 1}));
    });
    // A hook waits for the fake device, whose clock does not advance while the host compiles.
    const auto waits = std::make_shared<AfterEachBatch>(ledger::Activity::callback, 0);
    slow.fit(batches, {.verbose = 0, .callbacks = {waits}});
    return slow.account_data();
  };
  expect_named("recompile", run(true), run(false));
}

TEST_F(PlantedFault, OwnCodeBetweenSteps) {
  const auto data = samples(batch);
  const auto run = [&](ledger::Time takes) {
    const AccountScope scope;
    for (int64_t step = 0; step < steps; ++step) {
      model.train_on_batch(data.x, data.y);
      FakeClock::pass(takes);
    }
    return scope.account();
  };
  expect_named("outside", run(4 * step_time), run(0));
}

// The time of a step does not depend on its batch size.
TEST_F(PlantedFault, ABatchOfOne) {
  const auto data = samples(steps * batch);
  fit(model, {}, 1);
  measure_headroom(model, data.x, data.y,
                   {.batch_size = 1, .most = 16, .seconds_per_trial = 1e-6, .bfloat16 = false});
  Account faulty = model.account_data(), mended = fit(model, {}, 16);
  EXPECT_EQ(faulty.advice.at(0).apply, "fit.batch_size=16");
  mended.step_seconds /= 16;  // for as many samples
  expect_named("small_batch", faulty, mended);
}

}  // namespace
}  // namespace stoker
