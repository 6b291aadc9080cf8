#include <fmt/format.h>

#include "data/feeds/array_feed.h"
#include "distribution/collectives.h"
#include "distribution/slice.h"
#include "exec/loop_account.h"
#include "nn/memory/device_of_model.h"
#include "nn/memory/memory_refusal.h"
#include "nn/training/inputs/limits.h"
#include "nn/training/logs/metrics_of_model.h"
#include "nn/training/ranks/start_together.h"
#include "nn/training/step_loop.h"

namespace stoker {
namespace nn {
namespace {

// Inside a strategy's run a batch has this rank's rows only.
void check_not_divided(const char* doing) {
  if (distribution::current_slice())
    throw InvalidArgument(
        fmt::format("{} was called inside a strategy's run, with rows that are divided already.",
                    doing),
        "it divides a batch itself: call it with whole batches, outside of run.");
}

// Only runs the step; queries nothing from the device.
Logs on_batch(Model& model, Phase phase, const Arrays& x, const Arrays& y, const BatchArgs& args,
              const char* doing) {
  distribution::join();
  check_not_divided(doing);
  check_compiled(model, doing);
  const auto preparing = ledger::book_in_loop(ledger::Activity::setup);
  const auto columns = make_columns({x, y, args.sample_weight, args.class_weight}, doing);
  const StepLayout& layout = columns.layout;
  const device::Scope scope(device_of(model, doing));
  const data::ArraySource source(columns.arrays);
  const data::FeedPlan plan = divided(source.whole());
  data::ArrayFeed feed(source, plan, scope.device(), {.batch_size = columns.samples()});
  const auto train_step = [&](int64_t rows) {
    return train_step_for(model, layout.of(plan.slice(rows)), feed.inputs(rows), [&] {
      return data_of_a_batch(divided(source.plan(scope.device())), layout);
    });
  };
  auto* const account = exec::LoopAccount::current();
  StepLoop loop(model, feed,
                {.phase = phase,
                 .layout = layout,
                 .ledger = account ? &account->ledger : nullptr,
                 .clock = account ? &account->clock : nullptr});
  if (phase == Phase::train) {
    loop.set_batches_seen(model.impl().steps.trained_on_batch++);
    loop.use(feed.rows(), train_step(feed.rows()));
    if (!std::exchange(model.impl().steps.started_together, true))
      start_together(model, *loop.first_step());
  }
  loop.step_of(feed.rows());
  check_values(model, columns);
  feed.start(0);
  loop.run(0, 1, [](const auto&) { return true; });
  if (account) {
    loop.wait();
    account->ran_on(scope.device());
    account->step(columns.samples());
  }
  const auto booked = ledger::book_in_loop(ledger::Activity::metrics);
  return read_metrics(model, phase);
}

}  // namespace
}  // namespace nn

Logs Model::train_on_batch(const Arrays& x, const Arrays& y, const BatchArgs& args) {
  return nn::on_batch(*this, Phase::train, x, y, args, "train_on_batch");
}
Logs Model::test_on_batch(const Arrays& x, const Arrays& y, const BatchArgs& args) {
  return nn::on_batch(*this, Phase::test, x, y, args, "test_on_batch");
}

}  // namespace stoker
