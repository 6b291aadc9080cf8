#pragma once
#include "exec/compiled_step.h"
#include "stoker/account.h"

namespace stoker::nn {

// Adds what a step computes, and its minimum time if the device's ceilings have been measured.
void add_work(const exec::CompiledStep& step, Account::Work& work);

}  // namespace stoker::nn
