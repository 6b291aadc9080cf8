#pragma once
#include <vector>

#include "stoker/open_dataset.h"

namespace stoker::cli {

// The results of a pass over the first elements of a dataset.
struct DataPass {
  struct Limits {
    int64_t samples = 10000;
    double seconds = 5;
  };

  ElementSpec spec;   // dimensions in which elements differ are unknown
  Shape least, most;  // of the first array, without the batch
  int64_t samples = 0, bytes = 0;
  double seconds = 0;
  bool whole = true;
  std::vector<int64_t> of_class;
  PipelineStatistics stages;
};

// `batched`: elements are batches, otherwise single samples.
DataPass read_first(const OpenedDataset& opened, bool batched, const DataPass::Limits& limits);

}  // namespace stoker::cli
