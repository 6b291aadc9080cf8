#pragma once
#include <mutex>

#include "data/stage.h"
#include "data/tuning/tuner.h"

namespace stoker::data {

// The consumer of a pipeline's elements, with statistics about it.
class Consumer {
 public:
  // `own`: a buffer after the last stage, with its name.
  explicit Consumer(StageRef last, Tuner::Tuned own = {});

  bool next(Cursor& cursor, Element& element);  // waits for the next one
  PipelineStatistics statistics() const;        // from any thread

 private:
  StageRef last_;
  std::vector<const Stage*> stages_;
  std::vector<int64_t> made_before_;  // elements, by each stage
  Tuner::Tuned own_;
  mutable std::mutex mutex_;
  Tuner tuner_;
  int64_t taken_ = 0;
  ledger::Time begun_ = 0, latest_ = 0, waited_ = 0;
};

// All stages, each once and after its inputs.
std::vector<const Stage*> stages_up_to(const Stage& last);
// Likely mistakes in a pipeline, and automatic changes.
std::vector<std::string> notes_on(const std::vector<const Stage*>& stages);
std::vector<std::string> rewrites_of(const std::vector<const Stage*>& stages);
// The notes about the stages that fit appends.
std::vector<std::string> rewrites_by_fit(const std::vector<const Stage*>& stages);
// One sentence; empty if there was hardly any waiting.
std::string verdict_on(const PipelineStatistics& of);

}  // namespace stoker::data
