#pragma once
#include <optional>

#include "stoker/dataset.h"

namespace stoker {

// Keras's arguments and defaults of timeseries_dataset_from_array.
struct TimeseriesDatasetArgs {
  int64_t sequence_stride = 1;              // steps from one sequence's first to the next one's
  int64_t sampling_rate = 1;                // steps from one step of a sequence to the next
  std::optional<int64_t> batch_size = 128;  // none: single sequences
  bool shuffle = false;
  std::optional<uint64_t> seed = {};  // none: the fit's
  std::optional<int64_t> start_index = {},
                         end_index = {};  // of the steps that are used: [start, end)
};

// Sequences of `sequence_length` steps of a series, whose rows are its steps. Target i belongs to
// the sequence that begins with step i; without targets, an undefined Array, elements are sequences
// alone.
Dataset timeseries_dataset_from_array(const Array& data, const Array& targets,
                                      int64_t sequence_length,
                                      const TimeseriesDatasetArgs& args = {},
                                      const Dataset::From& from = Dataset::From::current());

}  // namespace stoker
