#include "nn/training/fit_validation.h"

#include "nn/training/logs/metrics_of_model.h"
#include "nn/training/test_loop.h"

namespace stoker::nn {

bool FitValidation::run(ledger::Ledger& ledger, Logs& logs) {
  if (interrupted()) return false;
  const ledger::Scope scope(ledger, ledger::Activity::validation);
  ranks_.stop();
  const bool done = run_or_restore(logs);
  ranks_.start();
  return done;
}

bool FitValidation::run_or_restore(Logs& logs) {
  const std::vector<Array> trained = metric_states(model_);
  try {
    run_to_the_end(logs);
    return true;
  } catch (const Interrupted&) {
    set_metric_states(model_, trained);  // the epoch continues with these
    return false;
  }
}

void FitValidation::run_to_the_end(Logs& logs) {
  callbacks_.call(&Callback::on_test_begin, Logs());
  const Logs results = TestLoop{model_, *setup_.validation(), *setup_.validation_feed(),
                                args_.validation_steps, callbacks_}
                           .run();
  callbacks_.call(&Callback::on_test_end, results);
  for (const auto& [name, value] : results) logs.set("val_" + name, value);
}

}  // namespace stoker::nn
