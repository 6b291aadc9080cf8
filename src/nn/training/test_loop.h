#pragma once
#include "ledger/run_facts.h"
#include "nn/callbacks/callback_list.h"
#include "nn/training/inputs/fit_data.h"
#include "nn/training/logs/progress.h"

namespace stoker::nn {

class StepLoop;

// Runs the test step over all data, for evaluate and for fit's validation. Throws Interrupted if it
// could not finish.
struct TestLoop {
  Model& model;
  const RunData& data;
  data::Feed& feed;  // of this data
  int64_t steps;     // 0: all
  CallbackList& callbacks;
  Progress* progress = nullptr;
  ledger::Ledger* ledger = nullptr;   // null: the caller books the time
  ledger::RunFacts* facts = nullptr;  // for the account, with the ledger
  Logs run();

 private:
  Logs read(StepLoop& loop) const;
};

// Implement Model::evaluate and Model::predict_all for any kind of data.
Logs evaluate(Model& model, const RunData& data, const EvaluateArgs& args);
std::vector<Array> predict(Model& model, const RunData& data, const PredictArgs& args);
Array only(const Model& model, std::vector<Array> results);  // throws if there are several

}  // namespace stoker::nn
