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
    int64_t number;  // from 1 on, in this fit
    ledger::Time handed_over;
    bool then_paused = false;  // an epoch ended behind it
  };
  std::vector<Step> steps;
  std::vector<device::Span> calls;      // one after the other
  std::vector<ledger::Event> host;      // what the training thread did meanwhile
  std::vector<data::CallSpan> feeders;  // functions of the program's in its input pipeline
  ledger::Time begin = 0, end = 0;      // of the whole
  ledger::Time measured = 0;            // of it, the profile was on
  std::string note;                     // why something is missing
};

// What the record of a run says of a fit beside the account of its time.
struct RunNotes {
  std::string started;  // the time of day
  std::string state = "running";
  int64_t steps = 0, samples = 0, batch_size = 0, validation_freq = 1;
  Config settings = Config::map();         // fit's arguments
  std::weak_ptr<exec::CompiledStep> step;  // that of a full batch
  ProfiledSteps profile;
  History history;
};

}  // namespace stoker::nn
