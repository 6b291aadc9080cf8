#pragma once
#include "data/feeds/feed.h"
#include "device/device_clock.h"
#include "exec/known_steps.h"
#include "nn/callbacks/batch_calls.h"
#include "nn/model_impl.h"
#include "nn/profile/profile_window.h"
#include "nn/training/steps_per_launch.h"

namespace stoker::nn {

// The loop behind fit, evaluate, predict and train_on_batch: get a batch, run the step, take time
// stamps around both.
class StepLoop {
 public:
  struct Args {
    Phase phase;
    StepLayout layout;                     // except `gathers`, which the feed's plan determines
    const BatchCalls* calls = nullptr;     // callbacks with batch hooks
    ledger::Ledger* ledger = nullptr;      // the account; null: the caller books the time
    device::DeviceClock* clock = nullptr;  // of the account; null: the loop has its own
    ProfileWindow* profile = nullptr;      // steps to profile; null: none
    bool* stops = nullptr;                 // callbacks set it to end the loop; rank 0's counts
    int64_t at_once = std::numeric_limits<int64_t>::max();  // maximum of steps per launch
    // Compiles steps that were not given; empty: step_for.
    std::function<exec::StepRef(int64_t rows, const std::vector<TensorType>& inputs)> make = {};
  };
  StepLoop(Model& model, data::Feed& feed, const Args& args);

  // The step for batches of so many rows, in the shapes that the feed announced; compiled on first
  // use.
  exec::CompiledStep& step_of(int64_t rows);
  void use(int64_t rows, exec::StepRef step) { steps_.add(rows, std::move(step)); }

  struct Ran {
    const data::Batch& batch;
    exec::CompiledStep& step;
    int64_t done;  // steps of this epoch, including this batch's
  };
  using After = std::function<bool(const Ran&)>;  // false: stop here
  // Runs steps from `done` on until `asked` are done, or for 0 until the feed ends. Returns the
  // number done. Throws InvalidArgument if the feed is empty, has fewer or more batches than
  // announced, or changes its plan.
  int64_t run(int64_t done, int64_t asked, const After& after);

  // Runs something that prepares data. Its time counts as input, unless the device was busy all the
  // while.
  template <class Call>
  void feeding(Call call) {
    if (!args_.ledger) return call();
    ledger::Scope scope(*args_.ledger, ledger::Activity::input);
    call();
    if (scope.so_far() >= worth_asking && device_is_busy()) scope.book_as(ledger::Activity::step);
  }

  // The device is asynchronous. Code that reads its results waits here first, so that the wait is
  // booked as step time.
  void wait();

  int64_t begun() const { return begun_; }  // the device is between the last wait and this step
  int64_t done() const { return done_; }
  int64_t samples() const { return samples_; }
  int64_t hooks_called() const { return args_.calls ? args_.calls->called() : 0; }  // of batches
  // In all epochs, including an earlier run that this one resumes, as callbacks count them.
  int64_t batches_seen() const { return batches_seen_; }
  void set_batches_seen(int64_t batches) { batches_seen_ = batches; }
  // Since the first step: the time of steps and their input.
  ledger::Time stepping() const;
  const device::DeviceClock* clock() const { return args_.clock; }  // null: there is no account
  const exec::CompiledStep* first_step() const {                    // null: none compiled yet
    return steps_.empty() ? nullptr : steps_.first().get();
  }

 private:
  // querying a GPU takes one or two microseconds
  static constexpr ledger::Time worth_asking = 20'000;
  bool device_is_busy() const;
  exec::StepRef compile(int64_t rows, const std::vector<TensorType>& inputs);
  exec::StepRef compile_in_place(int64_t rows, const std::vector<TensorType>& inputs);
  exec::CompiledStep& step_of(const data::Batch& batch);
  int64_t run_batches(int64_t done, int64_t asked, const After& after);
  bool next_batch(data::Batch& batch, int64_t most, bool may_stop);
  int64_t agree(int64_t most, bool may_stop);
  bool stopped() const { return args_.stops && *args_.stops; }
  void begin_calls(int64_t done);
  void start_profile(exec::CompiledStep& step);
  void hand_over(const data::Batch& batch, exec::CompiledStep& step);
  ledger::Time run(const data::Batch& batch, exec::CompiledStep& step);

  Model& model_;
  data::Feed& feed_;
  const data::FeedPlan plan_;  // the feed's, for all epochs
  const int64_t batch_size_;   // the same
  Args args_;
  StepsPerLaunch steps_per_launch_;
  exec::KnownSteps steps_;
  std::optional<device::DeviceClock> own_clock_;
  bool rank_0_has_begin_hooks_ = false;  // for the batch that comes next
  int64_t hooks_known_ = 0;              // at the latest agreement of the ranks
  int64_t begun_ = 0, done_ = 0, waited_for_ = 0, samples_ = 0, batches_seen_ = 0;
  ledger::Time input_before_steps_ = 0;
};

std::string progress_of(int64_t done, int64_t total);  // "3 of 10", or "3" if the total is unknown

}  // namespace stoker::nn
