#pragma once
#include "nn/callbacks/callback_list.h"
#include "nn/training/account/host_load.h"
#include "nn/training/step_loop.h"

namespace stoker::nn {

constexpr ledger::Time worth_a_screen = 1'000'000'000;  // a shorter run prints one line

// The facts for an account, as known to a loop at a time of the host's clock.
ledger::RunFacts facts_of(const char* run, const StepLoop& loop, const ledger::Ledger& ledger,
                          ledger::Time now);
// For evaluate and predict, after their steps.
ledger::RunFacts facts_of_inference(const char* run, const Model& model, const StepLoop& loop,
                                    const data::Feed& feed, ledger::Ledger& ledger);
// Compiles the step for full batches and books the time if there is a ledger.
void compile_first(StepLoop& loop, const data::Feed& feed, ledger::Ledger* ledger);
// Facts about a step: kernels, FLOPs, memory, host functions.
void add_step(const Model& model, const exec::CompiledStep& step, ledger::RunFacts& facts);
void add_places(const CallbackList& callbacks, const std::source_location& called,
                ledger::Places& places);
// Recipe keys instead of source locations.
void use_keys(const ledger::Places& keys, ledger::Places& places);

}  // namespace stoker::nn
