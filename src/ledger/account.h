#pragma once
#include "ledger/run_facts.h"
#include "stoker/account.h"

namespace stoker::ledger {

// Derives parts that add up, a verdict and advice from the facts of a run.
Account account_of(const RunFacts& facts);

// Only the parts: cheap enough to compute during a run.
std::vector<Account::Part> parts_of(const RunFacts& facts);

// The cost of a time stamp in nanoseconds; measured once.
double cost_of_a_stamp();
double cost_of_a_stamp(Clock of);  // of that clock

}  // namespace stoker::ledger
