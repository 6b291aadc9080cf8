#pragma once
#include <functional>
#include <optional>

#include "core/background_worker.h"
#include "exec/state_copies.h"
#include "ledger/run_facts.h"
#include "nn/callbacks/callback_states.h"
#include "nn/profile/run_notes.h"
#include "stoker/model.h"

namespace stoker::data {
class Feed;
}

namespace stoker::nn {

// The position of a fit between two steps; together with all states, enough to resume exactly.
struct FitPosition {
  uint64_t seed = 0;             // for shuffling
  int64_t epoch = 0, batch = 0;  // the next ones
  int64_t pass = 0;              // over the data; differs from the epoch with steps_per_epoch
  int64_t batches_seen = 0;      // in all epochs
  Config feed = Config::map();   // the feed's position
  History history;               // of the completed epochs
  CallbackStates callbacks;      // their saved states
};

// Everything that belongs to one running fit. Callbacks access it through the model.
class Session {
 public:
  Session(Model& model, uint64_t seed);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  FitPosition position() const;
  void resume_at(FitPosition at, std::string where);  // called by a callback in on_train_begin

  ledger::Ledger ledger;                                     // runs from the start
  uint64_t seed;                                             // for shuffling
  int64_t epoch = 0, batch = 0, pass = 0, batches_seen = 0;  // of position(), for callbacks
  History history;
  data::Feed* feed = nullptr;
  const std::vector<CallbackRef>* callbacks = nullptr;
  exec::States states;      // all that its training steps read and write
  BackgroundWorker writer;  // writes files in the background
  std::optional<FitPosition> resumes;
  std::string resumed;                             // from where, as a sentence
  std::function<ledger::RunFacts()> facts_so_far;  // while it runs
  std::function<void()> each_second;  // called between steps, about that often; a callback sets it
  RunNotes notes;                     // for the record of the run
  std::shared_ptr<void> watcher;      // of a callback: reads the ledger in a thread that ends first
  int64_t checkpoints = 0;            // saved by callbacks, for the account

 private:
  Model& model_;
  Session* outer_;  // the enclosing fit, if a callback calls fit
};

// Facts about a model's latest fit.
struct LastFit {
  ledger::Ledger ledger;
  ledger::RunFacts times;  // the facts for its account
  std::string account, resumed;
  PipelineStatistics input;  // empty for arrays
  double samples_per_second = 0;
  int64_t batch_size = 32;
  RunNotes notes;
};

// A model's record of its fits.
struct Fits {
  Session* running = nullptr;
  LastFit last;
  std::optional<ledger::Places> places;  // of a recipe, instead of source locations
  ledger::RunFacts last_run;             // of the last fit, evaluate or predict
  uint64_t next_seed = 0;                // for shuffling; drawn by the first fit
};

// Books time in the account of the running fit, if any.
std::optional<ledger::Scope> book(Model& model, ledger::Activity activity);
// Counts a checkpoint that a callback saves, too.
std::optional<ledger::Scope> book_checkpoint(Model& model);

}  // namespace stoker::nn
