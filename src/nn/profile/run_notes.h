#pragma once
#include <memory>
#include <string>
#include <vector>

#include "data/call_trace.h"
#include "device/profile.h"
#include "ledger/ledger.h"
#include "stoker/callback.h"
#include "stoker/config.h"
#include "stoker/profile_steps.h"

namespace stoker::exec {
class CompiledStep;
}

namespace stoker::nn {

// When the calls of some steps ran, on the ledger's clock.
struct ProfiledSteps {
  ProfileSteps asked;
  struct Step {
    int64_t number;  // from 1, in this fit
    ledger::Time handed_over;
    bool then_paused = false;  // an epoch ended after it
  };
  std::vector<Step> steps;
  std::vector<device::Span> calls;      // in order
  std::vector<ledger::Event> host;      // the training thread's activities meanwhile
  std::vector<data::CallSpan> feeders;  // user functions in the input pipeline
  ledger::Time begin = 0, end = 0;      // of the whole window
  ledger::Time measured = 0;            // the time during which the profiler was on
  int64_t dropped = 0;                  // calls that the profiler had no room for
  std::string note;                     // why something is missing
};

// What the record of a run contains besides the account of time.
struct RunNotes {
  std::string started;  // the time of day
  std::string state = "running";
  int64_t steps = 0, samples = 0, batch_size = 0, validation_freq = 1;
  Config settings = Config::map();         // fit's arguments
  std::weak_ptr<exec::CompiledStep> step;  // of a full batch
  ProfiledSteps profile;
  History history;
};

}  // namespace stoker::nn
