#pragma once
#include <functional>

#include "stoker/pipeline_statistics.h"

namespace stoker::ledger {

// The dataset that feeds the user-defined loop of this thread (loop_ledger), if known; empty: none.
inline std::function<PipelineStatistics()>& loop_input() {
  static thread_local std::function<PipelineStatistics()> input;
  return input;
}

}  // namespace stoker::ledger
