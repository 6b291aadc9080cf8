#pragma once
#include "observe/figures.h"

namespace stoker::observe {

// The figures of the GPU that a program uses, and of those that use it, too.
void add_gpu(ledger::Figures& figures, const Roles& roles, const Recording& recording);

}  // namespace stoker::observe
