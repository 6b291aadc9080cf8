#include "distribution/collectives.h"
#include "nn/training/account/run_account.h"
#include "nn/training/inference_session.h"
#include "nn/training/inputs/limits.h"
#include "nn/training/logs/metrics_of_model.h"
#include "nn/training/ranks/start_together.h"
#include "nn/training/test_loop.h"

namespace stoker {
namespace nn {

// Waiting for the device is booked as step time.
Logs TestLoop::read(StepLoop& loop) const {
  if (!ledger) return read_metrics(model, Phase::test);
  loop.wait();
  const ledger::Scope scope(*ledger, ledger::Activity::metrics);
  return read_metrics(model, Phase::test);
}

Logs TestLoop::run() {
  const int64_t total = steps == 0 ? feed.batches() : steps;
  StepLoop loop(
      model, feed,
      {.phase = Phase::test, .layout = data.layout, .calls = &callbacks.test, .ledger = ledger});
  compile_first(loop, feed, ledger);  // its trace determines how the data is used
  check_values(model, data, feed);
  reset_metrics(model);
  loop.feeding([&] { feed.start(0); });
  const int64_t done = loop.run(0, steps, [&](const StepLoop::Ran& ran) {
    if (callbacks.test.wants_end_of(ran.done))
      callbacks.test.end(ran.done, ran.done - 1, read(loop));
    if (progress && progress->due(ledger::now())) progress->draw(ran.done, {}, read(loop));
    return !interrupted();
  });
  check_whole(feed, done, total, "evaluate");
  const Logs logs = read(loop);
  if (progress) progress->finish(done, {}, logs);
  if (facts) *facts = facts_of_inference("evaluate", model, loop, feed, *ledger);
  return logs;
}

Logs evaluate(Model& model, const RunData& data, const EvaluateArgs& args) {
  distribution::join();
  check_together(model, data, args);
  InferenceSession session(
      model, data, {args.batch_size, args.steps, args.verbose, args.callbacks, true}, "evaluate");
  session.callbacks.call(&Callback::on_test_begin, Logs());
  ledger::RunFacts facts;
  const Logs logs =
      TestLoop{
          model,           data,  *session.feed, args.steps, session.callbacks, &session.progress,
          &session.ledger, &facts}
          .run();
  session.callbacks.call(&Callback::on_test_end, logs);
  session.close(facts);
  model.impl().fits.last_run = std::move(facts);
  return logs;
}

}  // namespace nn

Logs Model::evaluate(const Arrays& x, const Arrays& y, const EvaluateArgs& args) {
  nn::check_compiled(*this, "evaluate");
  nn::check_range(args.batch_size, args.steps, "evaluate");
  const auto columns = nn::make_columns({x, y, args.sample_weight, {}}, "evaluate");
  return nn::evaluate(*this, nn::run_over(columns), args);
}

}  // namespace stoker
