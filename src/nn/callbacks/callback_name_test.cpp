#include "nn/callbacks/callback_name.h"

#include <chrono>
#include <thread>

#include "nn/callbacks/batch_calls.h"
#include "nn/test_models.h"
#include "stoker/callbacks.h"

namespace stoker {
namespace {

struct Plots : Callback {};
struct Recorder : Callback, nn::OfTheProgram {};

TEST(CallbackName, IsKerasNameOrTheClass) {
  EXPECT_EQ(nn::name_of(*callbacks::LambdaCallback({})), "LambdaCallback");
  EXPECT_EQ(nn::name_of(*callbacks::TerminateOnNaN()), "TerminateOnNaN");
  EXPECT_EQ(nn::name_of(*callbacks::EarlyStopping({})), "EarlyStopping");
  EXPECT_EQ(nn::name_of(*callbacks::TensorBoard({})), "TensorBoard");
  EXPECT_EQ(nn::name_of(*callbacks::LearningRateScheduler(
                {.schedule = [](int64_t, double rate) { return rate; }})),
            "LearningRateScheduler");
  EXPECT_EQ(nn::name_of(Plots()), "Plots");
}

TEST(CallbackName, TheSlowestIsOneOfTheUsers) {
  ledger::Ledger ledger;
  ledger.start();
  const nn::HookCaller call(ledger);
  const Recorder recorder;
  const auto some_time = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  call(recorder, some_time);
  EXPECT_EQ(call.slowest(), nullptr);
  const Plots plots;
  call(plots, [] {});
  EXPECT_EQ(call.slowest(), &plots);
}

}  // namespace
}  // namespace stoker
