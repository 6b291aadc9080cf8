#pragma once
#include <mutex>

#include "data/stage.h"
#include "data/tuning/tuner.h"

namespace stoker::data {

// Whoever takes the elements of a pipeline, and what is known of it by then.
class Consumer {
 public:
  // `own`: a buffer behind the last stage, with its name.
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

// A stage behind all that it takes elements from, each once.
std::vector<const Stage*> stages_up_to(const Stage& last);
// What looks wrong in a pipeline, and what is done otherwise than it is written.
std::vector<std::string> notes_on(const std::vector<const Stage*>& stages);
std::vector<std::string> rewrites_of(const std::vector<const Stage*>& stages);
// Of what fit puts behind the last stage.
std::vector<std::string> rewrites_by_fit(const std::vector<const Stage*>& stages);
// In one sentence; empty if there was next to no waiting.
std::string verdict_on(const PipelineStatistics& of);

}  // namespace stoker::data
