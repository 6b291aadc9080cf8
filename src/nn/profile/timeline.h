#pragma once
#include "nn/profile/run_facts.h"
#include "stoker/run_record.h"

namespace stoker::nn {

// A few steps: what the host's thread and the device did when.
RunRecord::Timeline timeline_of(const ledger::Ledger& ledger, const RunFacts& facts);

}  // namespace stoker::nn
