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

// Where a fit stands between two steps; with all states, what it takes to go on exactly there.
struct FitPosition {
  uint64_t seed = 0;             // of the orders
  int64_t epoch = 0, batch = 0;  // the next ones
  int64_t pass = 0;              // over the data, which epochs of so many steps cut anew
  int64_t batches_seen = 0;      // in all epochs
  Config feed = Config::map();   // where the data stands
  History history;               // of the epochs that are done
  CallbackStates callbacks;      // what they remember
};

// All that belongs to one running fit and ends with it. Callbacks reach it through the model.
class Session {
 public:
  Session(Model& model, uint64_t seed);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  FitPosition position() const;
  void resume_at(FitPosition at, std::string where);  // called by a callback in on_train_begin

  ledger::Ledger ledger;
  uint64_t seed;                                             // of the orders
  int64_t epoch = 0, batch = 0, pass = 0, batches_seen = 0;  // of position(), for callbacks
  History history;
  data::Feed* feed = nullptr;
  const std::vector<CallbackRef>* callbacks = nullptr;
  exec::States states;      // all that its training steps read and write
  BackgroundWorker writer;  // writes files while it goes on
  std::optional<FitPosition> resumes;
  std::string resumed;                      // from where, as a sentence
  std::function<Account()> account_so_far;  // while it runs
  std::function<void()> each_second;        // called between steps; a callback may set it
  RunNotes notes;                           // for the record of the run

 private:
  Model& model_;
  Session* outer_;  // of a fit whose callback calls fit again
};

// What is known of a model's latest fit.
struct LastFit {
  ledger::Ledger ledger;
  ledger::RunFacts times;  // what its account is made of
  std::string account, resumed;
  PipelineStatistics input;  // empty where it was arrays
  double samples_per_second = 0;
  int64_t batch_size = 32;
  RunNotes notes;
};

// What a model knows of its fits.
struct Fits {
  Session* running = nullptr;
  LastFit last;
  std::optional<ledger::Places> places;  // of a recipe, instead of places in a program
  ledger::RunFacts last_run;             // of the last fit, evaluate or predict
  uint64_t next_seed = 0;                // of the orders; drawn at the first fit
};

// Books time in the account of the fit that runs, if one does.
std::optional<ledger::Scope> book(Model& model, ledger::Activity activity);

}  // namespace stoker::nn
