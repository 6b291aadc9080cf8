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

// The verdicts if no rule holds. `busy` is the share of the wall time, as in the first line.
inline constexpr double is_well_fed = 0.8;
inline constexpr std::string_view well_fed = "The device is well fed: it works {busy} of the time.";
inline constexpr std::string_view no_single_cause =
    "No single cause stands out: the device works {busy} of the time, and the largest other part "
    "is {largest_part}, {largest_share} of it.";

}  // namespace stoker::ledger
