#pragma once
#include "ledger/run_facts.h"
#include "nn/callbacks/callback_list.h"
#include "nn/training/inputs/fit_data.h"
#include "nn/training/logs/progress.h"

namespace stoker::nn {

class StepLoop;

// Runs the test step over all of the data; what evaluate does, and fit for validation. Throws
// Interrupted when it could not see all of it.
struct TestLoop {
  Model& model;
  const RunData& data;
  data::Feed& feed;  // of this data
  int64_t steps;     // 0: all
  CallbackList& callbacks;
  Progress* progress = nullptr;
  ledger::Ledger* ledger = nullptr;   // null: somebody else books the time
  ledger::RunFacts* facts = nullptr;  // for the account, with the ledger
  Logs run();

 private:
  Logs read(StepLoop& loop) const;
};

// What Model::evaluate and Model::predict_all do, over any data.
Logs evaluate(Model& model, const RunData& data, const EvaluateArgs& args);
std::vector<Array> predict(Model& model, const RunData& data, const PredictArgs& args);
Array only(const Model& model, std::vector<Array> results);  // throws if there are several

}  // namespace stoker::nn
