#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "ledger/ledger.h"
#include "stoker/pipeline_statistics.h"

namespace stoker::ledger {

// What a user-defined loop reads from a dataset in all passes, of which one may be under way.
class LoopInput {
 public:
  using Statistics = std::function<PipelineStatistics()>;
  using Dataset = std::shared_ptr<const void>;
  LoopInput(const Dataset& dataset, PipelineStatistics none)
      : dataset_(dataset), earlier_(std::move(none)) {}

  // A dataset that a loop makes anew for each epoch takes the place of the last one.
  bool is_of(const Dataset& dataset, const PipelineStatistics& stages);
  int64_t begin(Statistics pass);  // returns the number of the pass
  void end(int64_t pass);          // its stages may be released
  void add_wait(Time time) { waited_ += time; }
  Time waited() const { return waited_; }  // of the loop, for all passes
  PipelineStatistics statistics() const;

 private:
  std::weak_ptr<const void> dataset_;
  PipelineStatistics earlier_;  // of the passes that have ended
  Statistics pass_;             // empty: none is under way
  int64_t passes_ = 0;
  Time waited_ = 0;
};

// The datasets of a user-defined loop.
class LoopInputs {
 public:
  std::shared_ptr<LoopInput> of(const LoopInput::Dataset& dataset,
                                const PipelineStatistics& stages);
  PipelineStatistics slowest() const;  // the one that the loop waited for most; may be empty

 private:
  std::vector<std::shared_ptr<LoopInput>> all_;
};

// Of the user-defined loop that this thread runs (loop_ledger); null: none.
inline LoopInputs*& loop_inputs() {
  static thread_local LoopInputs* inputs = nullptr;
  return inputs;
}

}  // namespace stoker::ledger
