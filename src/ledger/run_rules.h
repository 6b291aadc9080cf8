#pragma once
#include <string_view>

#include "ledger/rule_table.h"

namespace stoker::ledger {

// The rules for Stoker's own runs; docs/account.md shows the table.
const std::vector<Rule>& run_rules();

// Parts of it.
std::vector<Rule> input_rules();
std::vector<Rule> device_rules();
std::vector<Rule> machine_rules();  // what other programs and limits do to a run

// The verdict if no rule holds.
inline constexpr std::string_view well_fed =
    "The device is well fed: it works {working} of the time.";

}  // namespace stoker::ledger
