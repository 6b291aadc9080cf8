#pragma once
#include "ledger/run_facts.h"
#include "stoker/account.h"
#include "stoker/config.h"

namespace stoker::ledger {

// What the facts of a run come to: parts that add up, a verdict and advice.
Account account_of(const RunFacts& facts);

// The parts alone, which is cheap enough to ask for while a run goes on.
std::vector<Account::Part> parts_of(const RunFacts& facts);

// As JSON: {run, device, wall, busy, steps, parts: [{cause, seconds}], verdict, advice: […], …}.
Config to_config(const Account& account);

// What a time stamp takes, in nanoseconds; measured once.
double cost_of_a_stamp();

}  // namespace stoker::ledger
