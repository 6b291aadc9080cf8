#pragma once
#include "data/feed.h"
#include "device/scope.h"
#include "nn/callbacks/callback_list.h"
#include "nn/training/inputs/fit_data.h"
#include "nn/training/logs/progress.h"
#include "stoker/interrupt.h"

namespace stoker::nn {

// All that belongs to one running evaluate or predict and ends with it.
class InferenceSession {
 public:
  struct Args {
    int64_t batch_size, steps;  // 0 steps: all that the data has
    int verbose;
    const Callbacks& callbacks;
    bool divides = false;  // the batches among the processes that train together
  };
  InferenceSession(Model& model, const RunData& data, const Args& args, const char* doing);
  InferenceSession(const InferenceSession&) = delete;
  InferenceSession& operator=(const InferenceSession&) = delete;

  // Throws Interrupted if an interrupt left no time for all of it.
  void check_whole(int64_t done) const;

  const char* const doing;
  const InterruptScope interrupts;
  const device::Scope scope;
  const std::unique_ptr<data::Feed> feed;
  const int64_t asked;  // steps
  const int64_t steps;  // as many as the data has of them; 0: not known
  ledger::Ledger ledger;
  CallbackList callbacks;
  Progress progress;
};

// Throws Interrupted if an interrupt left no time for all of so many batches, as far as known.
void check_whole(data::Feed& feed, int64_t done, int64_t total, const char* doing);

}  // namespace stoker::nn
