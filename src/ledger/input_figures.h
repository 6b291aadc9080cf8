#pragma once
#include "ledger/rule_table.h"
#include "ledger/run_facts.h"

namespace stoker::ledger {

// Which stage of the pipeline limits it, and what a loop of one's own makes between its steps. The
// figures of a step are there already.
void add_input(const RunFacts& facts, Figures& figures);

}  // namespace stoker::ledger
