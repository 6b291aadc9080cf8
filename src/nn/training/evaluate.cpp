#include "distribution/collectives.h"
#include "nn/training/inference_session.h"
#include "nn/training/logs/metrics_of_model.h"
#include "nn/training/step_loop.h"
#include "nn/training/test_loop.h"

namespace stoker {
namespace nn {
Logs TestLoop::run() {
  const int64_t total = steps == 0 ? feed.batches() : steps;
  StepLoop loop(model, feed,
                {.phase = Phase::test, .layout = data.layout, .calls = &callbacks.test});
  loop.step_of(feed.rows());  // its trace says how the data is used
  check_values(model, data);
  reset_metrics(model);
  feed.start(0);
  const int64_t done = loop.run(0, steps, [&](const StepLoop::Ran& ran) {
    if (callbacks.test.wants_end_of(ran.done))
      callbacks.test.end(ran.done, ran.done - 1, read_metrics(model, Phase::test));
    if (progress && progress->due(ledger::now()))
      progress->draw(ran.done, {}, read_metrics(model, Phase::test));
    return !interrupted();
  });
  check_whole(feed, done, total, "evaluate");
  const Logs logs = read_metrics(model, Phase::test);
  if (progress) progress->finish(done, {}, logs);
  return logs;
}

Logs evaluate(Model& model, const RunData& data, const EvaluateArgs& args) {
  distribution::join();
  InferenceSession session(
      model, data, {args.batch_size, args.steps, args.verbose, args.callbacks, true}, "evaluate");
  session.callbacks.call(&Callback::on_test_begin, Logs());
  const Logs logs =
      TestLoop{model, data, *session.feed, args.steps, session.callbacks, &session.progress}.run();
  session.callbacks.call(&Callback::on_test_end, logs);
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
