#pragma once
#include "ledger/rule_table.h"
#include "ledger/run_facts.h"
#include "stoker/account.h"

namespace stoker::ledger {

// The figures used by the rules for runs. For each part: its fraction of a step ("input") and its
// seconds ("input_seconds"), without compiling and validation, which are not part of a step.
Figures figures_of(const RunFacts& facts, const std::vector<Account::Part>& parts);

}  // namespace stoker::ledger
