#include "nn/test_models.h"
#include "stoker/interrupt.h"
#include "support/fake_gpu.h"

// Data that does not fit on a device is streamed batch by batch. The fake GPU performs copies as
// late as it may: if a step does not wait for its batch, or a slot is reused too early, the weights
// differ.
namespace stoker {
namespace {

using namespace test;

class StreamedData : public stoker::testing::FakeGpu {
 protected:
  std::vector<Array> trained_weights(bool shuffle) {
    auto model = classifier();
    model.fit(data.x, data.y, {.batch_size = 96, .epochs = 2, .verbose = 0, .shuffle = shuffle});
    return model.get_weights();
  }
  const Samples data = samples(5000);
};

TEST_F(StreamedData, TrainsAsDataOnTheDeviceDoes) {
  for (const bool shuffle : {false, true}) {
    const auto memory = control.memory;
    set_random_seed(3);
    const auto want = trained_weights(shuffle);
    EXPECT_EQ(control.async_copies, 0);
    leave_free(data.x.bytes());
    set_random_seed(3);
    const auto got = trained_weights(shuffle);
    // Two columns, two epochs, 52 batches and a remainder, some of them sent together.
    EXPECT_GT(control.async_copies, 0);
    EXPECT_LT(control.async_copies, 2 * 2 * 53);
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_TRUE(std::ranges::equal(got[i].data<float>(), want[i].data<float>())) << i;
    control.memory = memory;
    control.async_copies = 0;
  }
}

TEST_F(StreamedData, LargeBatchesAreSentOneByOne) {
  leave_free(2 * data.x.bytes());
  auto model = classifier();
  model.fit(data.x, data.y, {.batch_size = 500, .verbose = 0});
  EXPECT_EQ(control.async_copies, 2 * 10);
}

// Interrupts after a batch was sent and before its step begins.
class StopsBeforeAStep : public Callback {
 public:
  void on_train_batch_begin(int64_t batch, const Logs&) override {
    if (batch == 4) interrupt();
  }
};

TEST_F(StreamedData, AnInterruptLeavesTheWeightsOfWholeSteps) {
  leave_free(2 * data.x.bytes());
  const auto weights_after = [&](const FitArgs& args) {
    set_random_seed(3);
    auto model = classifier();
    const History history = model.fit(data.x, data.y, args);
    EXPECT_EQ(history.interrupted.has_value(), !args.callbacks.empty());
    return model.get_weights();
  };
  const auto want =
      weights_after({.batch_size = 500, .verbose = 0, .shuffle = false, .steps_per_epoch = 5});
  control.async_copies = 0;
  const auto got = weights_after({.batch_size = 500,
                                  .verbose = 0,
                                  .callbacks = {std::make_shared<StopsBeforeAStep>()},
                                  .shuffle = false});
  EXPECT_EQ(difference(got, want), 0);
  // Of two columns: five batches were used, and besides the slot in use two more may be filled.
  EXPECT_GE(control.async_copies, 2 * 5);
  EXPECT_LE(control.async_copies, 2 * (5 + 2));
}

TEST_F(StreamedData, WaitsOnlyForASlotThatIsInUse) {
  leave_free(data.x.bytes());
  trained_weights(true);
  EXPECT_GT(control.tickets_waited_for, 0);
  EXPECT_LE(control.tickets_waited_for, 2 * 53);
  EXPECT_LE(control.waits, 3);  // for the metrics of an epoch, not for batches
}

// On the device, too: the shuffled order of an epoch takes the memory of an earlier one's, which
// the device may still read if the host is several short epochs ahead.
TEST_F(StreamedData, AnOrderIsReplacedOnlyWhenItsEpochIsDone) {
  auto model = classifier();
  model.fit(data.x, data.y, {.batch_size = 5000, .epochs = 5, .verbose = 0, .shuffle = true});
  EXPECT_EQ(control.async_copies, 0);
  EXPECT_GE(control.tickets_waited_for, 2);
}

}  // namespace
}  // namespace stoker
