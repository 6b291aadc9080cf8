#pragma once
#include <functional>

#include "stoker/pipeline_statistics.h"

namespace stoker::ledger {

// What is known of the dataset that the loop of one's own in this thread takes its elements from
// (loop_ledger); empty: of none.
inline std::function<PipelineStatistics()>& loop_input() {
  static thread_local std::function<PipelineStatistics()> input;
  return input;
}

}  // namespace stoker::ledger
