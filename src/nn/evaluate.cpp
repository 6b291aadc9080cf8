#include <atomic>

#include "nn/batch_step.h"
#include "nn/device_of_model.h"
#include "nn/memory_refusal.h"
#include "nn/metrics_of_model.h"
#include "nn/pace.h"
#include "nn/test_loop.h"

namespace stoker {
namespace nn {
namespace {
std::atomic<bool> stop_requested{false};
}
bool interrupted() { return stop_requested.load(std::memory_order_relaxed); }
void clear_interrupt() { stop_requested = false; }
void request_stop() { stop_requested = true; }

Logs TestLoop::run() {
  feeder.start_epoch(0);
  data::ArrayFeeder::Batch batch;
  int64_t done = 0, rows = 0;
  exec::CompiledStep* step = nullptr;
  Pace pace;
  const int64_t total = steps == 0 ? feeder.batches() : steps;
  const bool each = callbacks && callbacks->wants_batches();
  while (done < total && feeder.next(batch, each ? 1 : std::min(total - done, pace.steps()))) {
    if (std::exchange(rows, batch.rows) != batch.rows)
      step = &step_for(model, Phase::test, columns.layout, feeder.input_types(rows));
    if (done == 0) {
      check_labels(model.impl(), columns);
      reset_metrics(model);
    }
    if (each) callbacks->call(&Callback::on_test_batch_begin, done, Logs());
    const ledger::Time begin = ledger::now();
    step->run_steps(batch.run());
    pace.took(ledger::now() - begin);
    done += batch.count;
    if (each)
      callbacks->call(&Callback::on_test_batch_end, done - 1, read_metrics(model, Phase::test));
    if (progress && progress->due(ledger::now()))
      progress->draw(done, read_metrics(model, Phase::test));
    if (interrupted()) break;
  }
  const Logs logs = read_metrics(model, Phase::test);
  if (progress) progress->finish(done, logs);
  return logs;
}

}  // namespace nn

void interrupt() { nn::request_stop(); }

Logs Model::evaluate(const Arrays& x, const Arrays& y, const EvaluateArgs& args) {
  if (!compiled()) throw InvalidArgument("evaluate needs a compiled model.", "call compile first.");
  nn::check_range(args.batch_size, args.steps, "evaluate");
  const auto columns = nn::make_columns({x, y, args.sample_weight, {}}, "evaluate");
  const device::Scope scope(nn::device_of(*this, "evaluate"));
  nn::clear_interrupt();
  ledger::Ledger ledger;
  nn::CallbackList callbacks(args.callbacks, *this, {.steps = args.steps, .verbose = args.verbose},
                             ledger);
  data::ArrayFeeder feeder(columns.arrays, scope.device(), {.batch_size = args.batch_size});
  nn::Progress progress(args.verbose, args.steps ? args.steps : feeder.batches());
  progress.begin();
  callbacks.call(&Callback::on_test_begin, Logs());
  const Logs logs = nn::TestLoop{*this, columns, feeder, args.steps, &callbacks, &progress}.run();
  callbacks.call(&Callback::on_test_end, logs);
  return logs;
}

namespace {
Logs on_batch(Model& model, Phase phase, const Arrays& x, const Arrays& y, const BatchArgs& args,
              const char* doing) {
  if (!model.compiled())
    throw InvalidArgument(std::string(doing) + " needs a compiled model.", "call compile first.");
  const auto columns = nn::make_columns({x, y, args.sample_weight, args.class_weight}, doing);
  const device::Scope scope(nn::device_of(model, doing));
  data::ArrayFeeder feeder(columns.arrays, scope.device(), {.batch_size = columns.samples()});
  feeder.start_epoch(0);
  data::ArrayFeeder::Batch batch;
  feeder.next(batch);
  const auto inputs = feeder.input_types(batch.rows);
  auto& step =
      phase == Phase::train
          ? nn::train_step_for(model, {.train = {inputs, columns.layout}, .resident = true}, inputs)
          : nn::step_for(model, phase, columns.layout, inputs);
  nn::check_labels(model.impl(), columns);
  step.run(batch.inputs);
  return nn::read_metrics(model, phase);
}
}  // namespace

Logs Model::train_on_batch(const Arrays& x, const Arrays& y, const BatchArgs& args) {
  return on_batch(*this, Phase::train, x, y, args, "train_on_batch");
}
Logs Model::test_on_batch(const Arrays& x, const Arrays& y, const BatchArgs& args) {
  return on_batch(*this, Phase::test, x, y, args, "test_on_batch");
}

}  // namespace stoker
