#include "nn/training/step_loop.h"

#include <fmt/format.h>

#include "core/host_call.h"
#include "device/transfer.h"
#include "distribution/collectives.h"
#include "nn/training/batch_step.h"
#include "nn/training/inputs/feed_checks.h"
#include "nn/training/ranks/agreement.h"
#include "stoker/interrupt.h"

namespace stoker::nn {

using ledger::Activity;

StepLoop::StepLoop(Model& model, data::Feed& feed, const Args& args)
    : model_(model), feed_(feed), plan_(feed.plan()), batch_size_(feed.batch_size()), args_(args) {
  args_.layout.gathers = plan_.gathers;
  if (args_.ledger && !args_.clock) args_.clock = &own_clock_.emplace(*args_.ledger);
}

exec::StepRef StepLoop::compile(int64_t rows, const std::vector<TensorType>& inputs) {
  if (args_.make) return args_.make(rows, inputs);
  std::optional<ledger::Scope> booked;  // before the first step, by the caller
  if (args_.ledger && done_ > 0) booked.emplace(*args_.ledger, Activity::compile);
  return step_for(model_, args_.phase, args_.layout.of(plan_.slice(rows)), inputs);
}

exec::CompiledStep& StepLoop::step_of(int64_t rows) {
  if (exec::CompiledStep* const known = steps_.find(rows)) return *known;
  return steps_.add(rows, compile(rows, feed_.inputs(rows)));
}

// A step that is larger than earlier ones has memory of its own: if there is not enough left,
// theirs is released.
exec::StepRef StepLoop::compile_in_place(int64_t rows, const std::vector<TensorType>& inputs) {
  try {
    return compile(rows, inputs);
  } catch (const OutOfMemory&) {
    if (steps_.count() < 2) throw;
  }
  steps_.forget_others();
  model_.impl().steps.release_unused();
  return compile(rows, inputs);
}

// Where shapes vary there is one for each of them.
exec::CompiledStep& StepLoop::step_of(const data::Batch& batch) {
  if (!plan_.varies) return step_of(batch.rows);
  if (exec::CompiledStep* const known = steps_.find(batch.rows, *batch.types)) return *known;
  try {
    return steps_.add(batch.rows, compile_in_place(batch.rows, *batch.types));
  } catch (Error& error) {
    error.add_where(fmt::format("compiling the step for batch {}", batches_seen_ + 1));
    throw;
  }
}

int64_t StepLoop::run(int64_t done, int64_t asked, const After& after) {
  done = run_batches(done, asked, after);
  if (args_.profile) args_.profile->pause();  // other steps follow
  return done;
}

int64_t StepLoop::run_batches(int64_t done, int64_t asked, const After& after) {
  check_plan(plan_, feed_.plan());
  const int64_t announced = feed_.batches(), total = asked > 0 ? asked : announced,
                end = total > 0 ? total : std::numeric_limits<int64_t>::max();
  const int64_t begin = done;
  data::Batch batch;
  while (done < end && next_batch(batch, end - done, done > begin)) {
    exec::CompiledStep& step = step_of(batch);
    check_types(batch, step);
    begin_calls(done);
    if (rank_0_has_begin_hooks_) agree_on_rate(model_, true);
    start_profile(step);
    hand_over(batch, step);
    if (args_.profile) args_.profile->pause_after(done_);
    done += batch.count;
    if (!after({batch, step, done})) return done;
    if (stopped() && plan_.division.size == 1) return done;
  }
  if (interrupted() || stopped()) return done;
  if (done == 0) throw InvalidArgument("the data is empty: there is no batch in it.");
  if (asked == 0 && announced > 0) check_end(feed_, done);
  return done;
}

// An interrupt also ends the wait for a batch; the caller decides what it means.
bool StepLoop::next_batch(data::Batch& batch, int64_t most, bool may_stop) try {
  bool there = false;
  feeding([&] {
    most = std::min({most, steps_per_launch_.steps(), args_.at_once});
    if (args_.profile) most = std::min(most, args_.profile->most(done_));
    if (args_.calls) most = std::min(most, args_.calls->until_next(batches_seen_));
    if (plan_.division.size > 1) {
      most = agree(most, may_stop);
      if (interrupted() || (may_stop && stopped())) return;
    }
    there = feed_.next(batch, most);
    if (there) check_batch(plan_, batch, batch_size_, most);
  });
  return there;
} catch (const Interrupted&) {
  return false;
}

// No rank stops alone: the others would wait for it.
int64_t StepLoop::agree(int64_t most, bool may_stop) {
  std::optional<ledger::Scope> booked;  // what is before it is input, waiting for others is not
  if (args_.ledger) booked.emplace(*args_.ledger, Activity::step);
  NextLaunch own{most, may_stop && stopped()};
  own.single = !feed_.gives_several();
  if (args_.phase == Phase::train && args_.calls) {
    own.has_begin_hooks = args_.calls->wants_begin_of(batches_seen_ + 1);
    if (std::exchange(hooks_known_, hooks_called()) != hooks_called()) own.rate = rate_of(model_);
  }
  const NextLaunch next = agree_on_launch(model_, own);
  rank_0_has_begin_hooks_ = next.has_begin_hooks;
  if (may_stop && args_.stops) *args_.stops = next.stop;
  return next.steps;
}

bool StepLoop::device_is_busy() const {
  return waited_for_ != done_ && device::is_busy(steps_.first()->device());
}

void StepLoop::begin_calls(int64_t done) {
  if (!args_.calls || !args_.calls->wants_begin_of(batches_seen_ + 1)) return;
  wait();
  args_.calls->begin(batches_seen_ + 1, done);
}

void StepLoop::start_profile(exec::CompiledStep& step) {
  if (!args_.profile) return;
  if (args_.profile->starts_at(done_ + 1)) {
    wait();
    args_.profile->start(step.device());
  }
  args_.profile->hands_over(done_ + 1);
}

void StepLoop::hand_over(const data::Batch& batch, exec::CompiledStep& step) {
  ledger::Ledger* const ledger = args_.ledger;
  if (ledger && done_ == 0) {
    input_before_steps_ = ledger->total(Activity::input);
    ledger->begin_steps();
  }
  begun_ = done_ + batch.count;
  if (args_.phase == Phase::train) distribution::collectives().set_step(batches_seen_ + 1);
  steps_per_launch_.took(run(batch, step));
  samples_ += batch.rows * batch.count;
  done_ += batch.count;
  batches_seen_ += batch.count;
}

// Returns how long the launch took.
ledger::Time StepLoop::run(const data::Batch& batch, exec::CompiledStep& step) {
  const ledger::Time called = host_call_nanoseconds();
  std::optional<ledger::Scope> booked;
  if (args_.ledger) booked.emplace(*args_.ledger, Activity::step);
  const ledger::Time begin = booked ? booked->begin() : ledger::now();
  if (args_.clock) args_.clock->before_run(step.device(), batch.after);
  step.run_steps(batch.run());
  if (args_.clock) args_.clock->after_run();
  if (booked) booked->ends_with(Activity::host_calls, host_call_nanoseconds() - called);
  return (booked ? booked->end() : ledger::now()) - begin;
}

void StepLoop::wait() {
  if (waited_for_ == done_) return;
  std::optional<ledger::Scope> booked;
  if (args_.ledger) booked.emplace(*args_.ledger, Activity::step);
  const device::Device& device = steps_.first()->device();
  device::check(device, device.table().synchronize(device.index), "waiting for the steps");
  if (args_.clock) args_.clock->settled();
  waited_for_ = done_;
}

ledger::Time StepLoop::stepping() const {
  const ledger::Ledger& ledger = *args_.ledger;
  return ledger.total(Activity::step) + ledger.total(Activity::host_calls) +
         ledger.total(Activity::input) - input_before_steps_;
}

std::string progress_of(int64_t done, int64_t total) {
  return total > 0 ? fmt::format("{} of {}", done, total) : std::to_string(done);
}

}  // namespace stoker::nn
