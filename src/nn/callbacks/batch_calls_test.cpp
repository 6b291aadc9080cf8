#include "nn/callbacks/batch_calls.h"

#include "nn/test_models.h"

namespace stoker {
namespace {

using namespace test;

class Plain : public Callback {
  void on_epoch_end(int64_t, Logs&) override {}
};

class Counting : public Callback {
 public:
  explicit Counting(int64_t interval = 1) : interval_(interval) {}
  int64_t batch_interval() const override { return interval_; }
  void on_train_batch_begin(int64_t batch, const Logs&) override { begun.push_back(batch); }
  void on_train_batch_end(int64_t batch, const Logs& logs) override {
    EXPECT_NE(logs.find("loss"), nullptr);
    ended.push_back(batch);
  }
  std::vector<int64_t> begun, ended;

 private:
  int64_t interval_;
};

class Private : public Callback {
  void on_train_batch_end(int64_t, const Logs&) override { ++*ends_; }

 public:
  explicit Private(int64_t* ends) : ends_(ends) {}

 private:
  int64_t* ends_;
};

// Overrides nothing itself; its function of the same name hides the hook.
class Derived : public Counting {};
class Overloaded : public Callback {
 public:
  using Callback::on_train_batch_end;
  void on_train_batch_end(int64_t) {}
};

TEST(BatchHooks, AreKnownByTheClassOfACallback) {
  const auto known = [](const CallbackRef& callback) {
    const BatchHooks& hooks = callback.batch_hooks();
    return std::vector<bool>{hooks.train_begin, hooks.train_end,     hooks.test_begin,
                             hooks.test_end,    hooks.predict_begin, hooks.predict_end};
  };
  int64_t ends = 0;
  EXPECT_EQ(known(std::make_shared<Plain>()), std::vector<bool>(6));
  EXPECT_EQ(known(std::make_shared<Counting>()), (std::vector<bool>{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(known(std::make_shared<Derived>()), (std::vector<bool>{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(known(std::make_shared<Private>(&ends)), (std::vector<bool>{0, 1, 0, 0, 0, 0}));
  EXPECT_TRUE(known(std::make_shared<Overloaded>())[1]);
  EXPECT_EQ(known(std::shared_ptr<Callback>(std::make_shared<Plain>())),
            std::vector<bool>(6, true));  // only the base class is known
}

struct BatchHooksOfFit : ::testing::Test {
  void fit(const CallbackRef& callback) {
    auto model = classifier();
    const auto data = samples(20);
    model.fit(data.x, data.y,
              {.batch_size = 4, .epochs = 2, .verbose = 0, .callbacks = {callback}});
  }
  using Batches = std::vector<int64_t>;
};

TEST_F(BatchHooksOfFit, AreCalledBecauseTheyAreOverridden) {
  const auto counting = std::make_shared<Counting>();
  fit(counting);
  EXPECT_EQ(counting->ended, (Batches{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
  EXPECT_EQ(counting->begun, counting->ended);
  int64_t ends = 0;
  fit(std::make_shared<Private>(&ends));
  EXPECT_EQ(ends, 10);
  const auto behind_a_base = std::make_shared<Counting>();
  fit(std::shared_ptr<Callback>(behind_a_base));
  EXPECT_EQ(behind_a_base->ended.size(), 10u);
}

TEST_F(BatchHooksOfFit, AreCalledForEveryNthBatchOverAllEpochs) {
  const auto third = std::make_shared<Counting>(3);
  fit(third);
  EXPECT_EQ(third->ended, (Batches{2, 0, 3}));
  EXPECT_EQ(third->begun, third->ended);
  const auto never = std::make_shared<Counting>(0);
  fit(never);
  EXPECT_TRUE(never->ended.empty() && never->begun.empty());
}

TEST(BatchCalls, StepsGoTogetherUntilSomebodyLooks) {
  ledger::Ledger ledger;
  nn::BatchCalls calls(&Callback::on_train_batch_begin, &Callback::on_train_batch_end,
                       nn::HookCaller(ledger));
  EXPECT_GT(calls.until_next(0), int64_t{1} << 60);
  Counting tenth(10), fourth(4);
  calls.add(tenth, false, true);
  EXPECT_EQ(calls.until_next(0), 10);
  EXPECT_EQ(calls.until_next(7), 3);
  calls.add(fourth, true, true);
  EXPECT_EQ(calls.until_next(0), 3);  // the fourth batch has a begin hook
  EXPECT_EQ(calls.until_next(3), 1);
  EXPECT_EQ(calls.until_next(8), 2);
  EXPECT_TRUE(calls.wants_begin_of(4) && calls.wants_end_of(4) && calls.wants_end_of(10));
  EXPECT_FALSE(calls.wants_begin_of(10) || calls.wants_end_of(9));
}

}  // namespace
}  // namespace stoker
