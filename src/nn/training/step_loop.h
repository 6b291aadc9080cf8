#pragma once
#include "data/feed.h"
#include "device/device_clock.h"
#include "nn/callbacks/batch_calls.h"
#include "nn/model_impl.h"
#include "nn/profile/profile_window.h"
#include "nn/training/pace.h"

namespace stoker::nn {

// The loop that fit, evaluate, predict and train_on_batch are built around: a batch, a run of the
// step, time stamps around both.
class StepLoop {
 public:
  struct Args {
    Phase phase;
    StepLayout layout;                     // but for `gathers`, which the feed's plan says
    const BatchCalls* calls = nullptr;     // the callbacks that look at batches
    ledger::Ledger* ledger = nullptr;      // the account; null: somebody else books the time
    device::DeviceClock* clock = nullptr;  // of the account; null: the loop has one of its own
    ProfileWindow* profile = nullptr;      // steps whose calls are timed; null: none
    int64_t at_once = std::numeric_limits<int64_t>::max();  // steps that can go together
    // Makes the steps that were not given; empty: step_for.
    std::function<exec::StepRef(int64_t rows)> make = {};
  };
  StepLoop(Model& model, data::Feed& feed, const Args& args);

  // The step for batches of so many rows; made when it is first asked for, if none was given.
  exec::CompiledStep& step_of(int64_t rows);
  void use(int64_t rows, exec::StepRef step) { steps_.push_back({rows, std::move(step)}); }

  struct Ran {
    const data::Batch& batch;
    exec::CompiledStep& step;
    int64_t done;  // steps of this epoch, with those of this batch
  };
  using After = std::function<bool(const Ran&)>;  // false: stop here
  // Steps from `done` on, until there are as many as are asked for, or for 0 all that the feed has.
  // Gives the number done. Throws InvalidArgument if the feed has none at all, fewer or more than
  // it announced, or another plan than before.
  int64_t run(int64_t done, int64_t asked, const After& after);

  // Runs something that makes data ready. Its time is input, unless the device had steps to run all
  // the while.
  template <class Call>
  void feeding(Call call) {
    if (!args_.ledger) return call();
    ledger::Scope scope(*args_.ledger, ledger::Activity::input);
    call();
    if (scope.so_far() >= worth_asking && device_is_busy()) scope.book_as(ledger::Activity::step);
  }

  // A device works on while the host goes ahead. Whoever looks at what it does waits for it here,
  // so that its time is booked as the steps' and not as that of the one who looks.
  void wait();

  int64_t begun() const { return begun_; }  // the device is between what was waited for and this
  int64_t done() const { return done_; }
  int64_t samples() const { return samples_; }
  // In all epochs, with those of an earlier run that this one goes on from: callbacks count these.
  int64_t batches_seen() const { return batches_seen_; }
  void set_batches_seen(int64_t batches) { batches_seen_ = batches; }
  // From the first step on: the steps and what feeds them.
  ledger::Time stepping() const;
  const device::DeviceClock* clock() const { return args_.clock; }  // null: there is no account
  const exec::CompiledStep* first_step() const {                    // null: none was made yet
    return steps_.empty() ? nullptr : steps_.front().step.get();
  }

 private:
  static constexpr ledger::Time worth_asking = 20'000;  // asking a GPU takes a microsecond or two
  bool device_is_busy() const;
  int64_t run_batches(int64_t done, int64_t asked, const After& after);
  bool next_batch(data::Batch& batch, int64_t most);
  void begin_calls(int64_t done);
  void start_profile(exec::CompiledStep& step);
  void hand_over(const data::Batch& batch, exec::CompiledStep& step);

  Model& model_;
  data::Feed& feed_;
  const data::FeedPlan plan_;  // the feed's, for all epochs
  const int64_t batch_size_;   // likewise
  Args args_;
  Pace pace_;
  struct Known {
    int64_t rows;
    exec::StepRef step;
  };
  std::vector<Known> steps_;
  std::optional<device::DeviceClock> own_clock_;
  int64_t begun_ = 0, done_ = 0, waited_for_ = 0, samples_ = 0, batches_seen_ = 0;
  ledger::Time input_before_steps_ = 0;
};

std::string progress_of(int64_t done, int64_t total);  // "3 of 10", or "3" where 10 is not known

}  // namespace stoker::nn
