#pragma once
#include "data/feeds/feed.h"
#include "device/scope.h"
#include "ledger/run_facts.h"
#include "nn/callbacks/callback_list.h"
#include "nn/training/inputs/fit_data.h"
#include "nn/training/logs/progress.h"
#include "nn/training/ranks/agreement.h"
#include "stoker/interrupt.h"

namespace stoker::nn {

// Everything that belongs to one running evaluate or predict.
class InferenceSession {
 public:
  struct Args {
    int64_t batch_size, steps;  // 0 steps: all batches of the data
    int verbose;
    const Callbacks& callbacks;
    bool divides = false;  // batches among the ranks, which then stop together
  };
  InferenceSession(Model& model, const RunData& data, const Args& args, const char* doing);
  InferenceSession(const InferenceSession&) = delete;
  InferenceSession& operator=(const InferenceSession&) = delete;

  // Throws Interrupted if an interrupt ended it early.
  void check_whole(int64_t done) const;
  // Closes the feed, and brings the facts up to that.
  void close(ledger::RunFacts& facts);

  const char* const doing;
  const InterruptScope interrupts;
  const StopScope stops;
  const device::Scope scope;
  ledger::Ledger ledger;
  std::unique_ptr<data::Feed> feed;
  const int64_t asked;  // requested steps
  const int64_t steps;  // the number of batches in the data; 0: unknown
  CallbackList callbacks;
  Progress progress;

 private:
  std::unique_ptr<data::Feed> opened(const RunData& data, const Args& args);
};

// Throws Interrupted if an interrupt ended it before all batches were processed, if their number is
// known.
void check_whole(data::Feed& feed, int64_t done, int64_t total, const char* doing);

}  // namespace stoker::nn
