#include "ledger/loop_input.h"

#include <algorithm>

namespace stoker::ledger {
namespace {

// Rates and settings are those of the later pass.
void add_pass(PipelineStatistics& all, PipelineStatistics pass) {
  for (size_t i = 0; i < pass.stages.size(); ++i) pass.stages[i].elements += all.stages[i].elements;
  pass.taken += all.taken;
  pass.seconds += all.seconds;
  pass.waited_seconds += all.waited_seconds;
  if (pass.verdict.empty()) pass.verdict = std::move(all.verdict);
  if (pass.decisions.empty()) pass.decisions = std::move(all.decisions);
  all = std::move(pass);
}

bool same_places(const PipelineStatistics& a, const PipelineStatistics& b) {
  return std::ranges::equal(a.stages, b.stages, [](const auto& x, const auto& y) {
    return x.name == y.name && x.where == y.where;
  });
}

}  // namespace

bool LoopInput::is_of(const Dataset& dataset, const PipelineStatistics& stages) {
  if (const Dataset known = dataset_.lock()) return known == dataset;
  if (!same_places(earlier_, stages)) return false;
  dataset_ = dataset;
  return true;
}

int64_t LoopInput::begin(Statistics pass) {
  end(passes_);
  pass_ = std::move(pass);
  return ++passes_;
}

void LoopInput::end(int64_t pass) {
  if (pass == passes_ && pass_) add_pass(earlier_, std::exchange(pass_, nullptr)());
}

PipelineStatistics LoopInput::statistics() const {
  PipelineStatistics all = earlier_;
  if (pass_) add_pass(all, pass_());
  return all;
}

std::shared_ptr<LoopInput> LoopInputs::of(const LoopInput::Dataset& dataset,
                                          const PipelineStatistics& stages) {
  for (const auto& input : all_)
    if (input->is_of(dataset, stages)) return input;
  return all_.emplace_back(std::make_shared<LoopInput>(dataset, stages));
}

PipelineStatistics LoopInputs::slowest() const {
  if (all_.empty()) return {};
  return (*std::ranges::max_element(all_, {}, [](const auto& input) { return input->waited(); }))
      ->statistics();
}

}  // namespace stoker::ledger
