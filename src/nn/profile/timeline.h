#pragma once
#include "nn/profile/run_notes.h"
#include "stoker/run_record.h"

namespace stoker::nn {

// A few steps: what the host's thread and the device did when.
RunRecord::Timeline timeline_of(const ledger::Ledger& ledger, const RunNotes& notes);

}  // namespace stoker::nn
