#include "exec/loop_account.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "nn/model_impl.h"
#include "nn/test_models.h"
#include "stoker/account_scope.h"
#include "stoker/function.h"
#include "stoker/headroom.h"
#include "support/fake_clock.h"
#include "support/fake_gpu.h"

// The account of a user's own loop.
namespace stoker {
namespace {

using namespace test;
using stoker::testing::FakeClock;

double seconds_of(const Account& account, const std::string& cause) {
  const auto part = std::ranges::find(account.parts, cause, &Account::Part::cause);
  return part == account.parts.end() ? 0 : part->seconds;
}
double sum_of(const Account& account) {
  double sum = 0;
  for (const auto& part : account.parts) sum += part.seconds;
  return sum;
}

class LoopOnADevice : public stoker::testing::FakeGpu {
 protected:
  LoopOnADevice() {
    control.step_nanoseconds = 1000;
    control.pass = FakeClock::pass;
  }
  const FakeClock clock;
  Sequential model = classifier();
};

TEST_F(LoopOnADevice, KnowsItsDeviceFromTrainOnBatchAlone) {
  const auto data = samples(4);
  const AccountScope scope;
  model.train_on_batch(data.x, data.y);
  const auto facts = exec::LoopAccount::current()->facts();
  EXPECT_EQ(facts.device, "/gpu:0");
  EXPECT_FALSE(facts.on_host);
  EXPECT_EQ(scope.account().device, "/gpu:0");
}

// Tracing, before the first step, takes 5 ms; then there are 10 steps of 1 us.
struct SlowToTrace : Layer {
  Tensor call(const Tensor& x, const CallArgs&) override {
    FakeClock::pass(5'000'000);
    return x;
  }
};

TEST_F(LoopOnADevice, ItsRateIsThatFromTheFirstStepOn) {
  Sequential slow({Input({.shape = {features}}), make_layer<SlowToTrace>(),
                   layers::Dense({.units = classes, .activation = "softmax"})});
  slow.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  const auto data = samples(4);
  const AccountScope scope;
  for (int i = 0; i < 10; ++i) slow.train_on_batch(data.x, data.y);
  EXPECT_NEAR(scope.account().samples_per_second, 40 / 10e-6, 1);
}

TEST_F(LoopOnADevice, HasWhatATrialFound) {
  const auto data = samples(4);
  const AccountScope scope;
  for (int i = 0; i < 10; ++i) {
    model.train_on_batch(data.x, data.y);
    FakeClock::pass(3000);
  }
  const Headroom tried{.sizes = {{4, 2e-6}, {8, 2e-6}, {16, 2e-6}},
                       .best_batch = 8,
                       .bfloat16_step_seconds = 1e-6,
                       .replayed_step_seconds = 3e-6,
                       .without_host_calls_step_seconds = 4e-6};
  const ledger::Probe probe = exec::probe_of(tried);
  EXPECT_EQ(probe.sizes.size(), 2u);
  EXPECT_EQ(probe.bfloat16, 1e-6);
  EXPECT_EQ(probe.replayed, 3e-6);
  EXPECT_EQ(probe.without_host_calls, 4e-6);
}

TEST(LoopAccount, BooksWhatTrainOnBatchPreparesAsSetup) {
  const Device cpu("/cpu:0");
  Sequential model = classifier();
  const auto data = samples(4);
  const AccountScope scope;
  for (int i = 0; i < 20; ++i) model.train_on_batch(data.x, data.y);
  const Account account = scope.account();
  EXPECT_GT(seconds_of(account, "setup"), 0);
  EXPECT_NEAR(sum_of(account), account.wall, 1e-9);
}

TEST(LoopAccount, AccountsMayEndInAnyOrder) {
  const auto twice = function([](const Tensor& x) { return x + x; });
  auto first = std::make_unique<AccountScope>();
  auto second = std::make_unique<AccountScope>();
  first.reset();
  twice(random_array({2}));
  EXPECT_EQ(second->account().steps, 1);
  second.reset();
  EXPECT_EQ(exec::LoopAccount::current(), nullptr);
  EXPECT_EQ(ledger::loop_ledger(), nullptr);
  EXPECT_EQ(ledger::loop_inputs(), nullptr);
  twice(random_array({2}));  // books nowhere
}

TEST(LoopAccount, AnAccountThatWasStoppedInsideAnotherLeavesTheOther) {
  const auto twice = function([](const Tensor& x) { return x + x; });
  const AccountScope outer;
  AccountScope inner;
  twice(random_array({2}));
  inner.stop();
  twice(random_array({2}));
  twice(random_array({2}));
  EXPECT_EQ(inner.account().steps, 1);
  EXPECT_EQ(outer.account().steps, 2);
}

// Both datasets are made at the same place.
Dataset rows_that_take(ledger::Time time) {
  const auto begin = [time] {
    return [time, made = 0]() mutable -> std::optional<Element> {
      FakeClock::pass(time);
      return made++ < 4 ? std::optional(Element(random_array({3}))) : std::nullopt;
    };
  };
  return Dataset::from_generator(begin,
                                 Dataset::from_tensor_slices(random_array({4, 3})).element_spec());
}

TEST(LoopAccount, NamesTheDatasetThatItWaitedFor) {
  const FakeClock clock;
  const Device cpu("/cpu:0");
  const auto twice = function([](const Tensor& x) { return x + x; });
  const Dataset slow = rows_that_take(5000), fast = rows_that_take(10);
  const AccountScope scope;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const Element& row : slow) {
      twice(row.array());
      FakeClock::pass(4000);
    }
    for (const Element& row : fast) twice(row.array());
  }
  const auto facts = exec::LoopAccount::current()->facts();
  EXPECT_EQ(facts.input.taken, 12);  // in all epochs
  ASSERT_EQ(facts.input.stages.size(), 1u);
  EXPECT_EQ(facts.input.stages[0].elements, 15);               // with the calls that return none
  EXPECT_NEAR(facts.input.waited_seconds, 9 * 5000e-9, 1e-9);  // not for the first of each epoch
  EXPECT_EQ(scope.account().advice.at(0).cause, "no_prefetch");
}

TEST(LoopAccount, KnowsTheStagesInTheMiddleOfAnEpoch) {
  const FakeClock clock;
  const Device cpu("/cpu:0");
  const Dataset slow = rows_that_take(5000);
  const AccountScope scope;
  for (int epoch = 0; epoch < 2; ++epoch) {
    int64_t taken = 4 * epoch;
    for (const Element& row : slow) {
      EXPECT_EQ(exec::LoopAccount::current()->facts().input.taken, ++taken);
      EXPECT_EQ(row.size(), 1u);
    }
  }
}

TEST(LoopAccount, ADatasetThatEachEpochMakesIsOne) {
  const FakeClock clock;
  const Device cpu("/cpu:0");
  const AccountScope scope;
  for (int epoch = 0; epoch < 3; ++epoch)
    for (const Element& row : rows_that_take(5000)) EXPECT_EQ(row.size(), 1u);
  EXPECT_EQ(exec::LoopAccount::current()->facts().input.taken, 12);
}

TEST(LoopAccount, AClockThatJumpsBackMakesNoPartNegative) {
  const FakeClock clock;
  const Device cpu("/cpu:0");
  const auto twice = function([](const Tensor& x) { return x + x; });
  const AccountScope scope;
  for (int i = 0; i < 6; ++i) {
    twice(random_array({3})).array();
    FakeClock::pass(i == 3 ? -1'000'000'000 : 1000);
  }
  const Account account = scope.account();
  EXPECT_GE(account.wall, 3000e-9);
  for (const auto& part : account.parts) EXPECT_GE(part.seconds, 0) << part.cause;
  EXPECT_NEAR(sum_of(account), account.wall, 1e-12);
}

}  // namespace
}  // namespace stoker
