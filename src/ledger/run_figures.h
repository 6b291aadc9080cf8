#pragma once
#include "ledger/rule_table.h"
#include "ledger/run_facts.h"
#include "stoker/account.h"

namespace stoker::ledger {

// The figures that the rules of a run look at. Of each part: its share of a step ("input") and its
// seconds ("input_seconds"), without compiling and validation, which are no part of a step.
Figures figures_of(const RunFacts& facts, const std::vector<Account::Part>& parts);

}  // namespace stoker::ledger
