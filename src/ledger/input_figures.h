#pragma once
#include "ledger/rule_table.h"
#include "ledger/run_facts.h"

namespace stoker::ledger {

// Adds figures about the input: which stage limits the pipeline, and how much of a batch's work a
// user-defined loop does between its steps. Requires the figures of a step.
void add_input(const RunFacts& facts, Figures& figures);

}  // namespace stoker::ledger
