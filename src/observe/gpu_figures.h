#pragma once
#include "observe/figures.h"

namespace stoker::observe {

// The figures of the GPU that a program uses, and of its other users.
void add_gpu(ledger::Figures& figures, const Roles& roles, const Recording& recording);

}  // namespace stoker::observe
