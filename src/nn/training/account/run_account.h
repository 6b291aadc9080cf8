#pragma once
#include "nn/callbacks/callback_list.h"
#include "nn/training/account/host_load.h"
#include "nn/training/step_loop.h"

namespace stoker::nn {

// What an account is made of, as far as a loop knows it at a time of the host's clock.
ledger::RunFacts facts_of(const char* run, const StepLoop& loop, const ledger::Ledger& ledger,
                          ledger::Time now);
// Of evaluate and predict, at their end.
ledger::RunFacts facts_of_inference(const char* run, const Model& model, const StepLoop& loop,
                                    const data::Feed& feed, const ledger::Ledger& ledger);
// Makes the step for full batches and books the time, if somebody wants to know.
void compile_first(StepLoop& loop, const data::Feed& feed, ledger::Ledger* ledger);
// What a step computes: kernels, operations, memory, functions on the host.
void add_step(const Model& model, const exec::CompiledStep& step, ledger::RunFacts& facts);
void add_places(const CallbackList& callbacks, const std::source_location& called,
                ledger::Places& places);
// The keys of a recipe, instead of places in a program.
void use_keys(const ledger::Places& keys, ledger::Places& places);

}  // namespace stoker::nn
