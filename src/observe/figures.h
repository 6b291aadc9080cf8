#pragma once
#include <string>
#include <vector>

#include "ledger/rule_table.h"
#include "observe/sample.h"

namespace stoker::observe {

// Which process of the tree is the program itself, what works for it, and which GPU it uses.
struct Roles {
  int64_t main = 0;              // below shells and launchers; the topmost that has a GPU open
  std::vector<int64_t> workers;  // processes that it started, without helpers and other ranks
  int64_t gpu = -1;              // index; -1: none
  int64_t gpus_used = 0;
  bool matched_by_files = false;  // NVML knows the process by another number, or not at all
};
Roles roles_of(const Recording& recording);

// The figures that the rules speak of; docs/why.md explains them one by one.
ledger::Figures figures_of(const Recording& recording);

}  // namespace stoker::observe
