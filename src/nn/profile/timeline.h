#pragma once
#include "nn/profile/run_notes.h"
#include "stoker/run_record.h"

namespace stoker::nn {

// The activities of the host thread and the device during a few steps.
RunRecord::Timeline timeline_of(const ledger::Ledger& ledger, const RunNotes& notes);

}  // namespace stoker::nn
