#pragma once
#include "ledger/run_facts.h"
#include "nn/profile/run_notes.h"
#include "stoker/model.h"
#include "stoker/run_record.h"

namespace stoker::nn {

RunNotes begin_notes(const FitArgs& args, int64_t batch_size);
void finish_notes(RunNotes& notes, const History& history);

// Model::record, with the facts about its running or last fit.
RunRecord record_of(Model& model, const ledger::RunFacts& facts);

// {"a": {"b": 1}} → "a.b": "1", with the prefix.
void flatten(const Config& config, const std::string& prefix, TextPairs& into);

// Machine, device, versions and command line.
TextPairs environment_of(const device::Device& device);

}  // namespace stoker::nn
