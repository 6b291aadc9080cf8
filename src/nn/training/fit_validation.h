#pragma once
#include "nn/training/fit_setup.h"
#include "nn/training/ranks/rank_clock.h"

namespace stoker::nn {

class CallbackList;

// The validation that follows some epochs of a fit.
class FitValidation {
 public:
  FitValidation(FitSetup& setup, const FitArgs& args, Model& model, CallbackList& callbacks,
                RankClock& ranks)
      : setup_(setup), args_(args), model_(model), callbacks_(callbacks), ranks_(ranks) {}

  bool follows(int64_t epoch) const {
    return setup_.validation() && (epoch + 1) % args_.validation_freq == 0;
  }
  // Adds "val_…" to the epoch's logs. False if it was interrupted: the logs and the metrics of
  // training are as before.
  bool run(ledger::Ledger& ledger, Logs& logs);

 private:
  bool run_or_restore(Logs& logs);
  void run_to_the_end(Logs& logs);

  FitSetup& setup_;
  const FitArgs& args_;
  Model& model_;
  CallbackList& callbacks_;
  RankClock& ranks_;
};

}  // namespace stoker::nn
