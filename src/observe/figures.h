#pragma once
#include <string>
#include <vector>

#include "ledger/rule_table.h"
#include "observe/sample.h"

namespace stoker::observe {

// Which process of the tree is the program itself, which are its workers, and which GPU it uses.
struct Roles {
  int64_t main = 0;              // below shells and launchers; the topmost with an open GPU
  std::vector<int64_t> workers;  // child processes without helpers and other ranks
  int64_t gpu = -1;              // index; -1: none
  int64_t gpus_used = 0;
  bool matched_by_files = false;  // NVML reports the process with another id, or not at all
};
Roles roles_of(const Recording& recording);

// The figures used by the rules; docs/why.md explains each.
ledger::Figures figures_of(const Recording& recording);

}  // namespace stoker::observe
