#pragma once
#include <vector>

#include "ledger/rule_table.h"

namespace stoker::observe {

// The rules of `stoker why`, most urgent first; docs/why.md has them as a table.
const std::vector<ledger::Rule>& why_rules();

}  // namespace stoker::observe
