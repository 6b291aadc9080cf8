#pragma once
#include <optional>

#include "stoker/dataset.h"

namespace stoker {

// Keras's arguments and defaults of timeseries_dataset_from_array.
struct TimeseriesDatasetArgs {
  int64_t sequence_stride = 1;              // distance between the starts of consecutive sequences
  int64_t sampling_rate = 1;                // distance between consecutive steps of a sequence
  std::optional<int64_t> batch_size = 128;  // none: single sequences
  bool shuffle = false;
  std::optional<uint64_t> seed = {};                        // none: the fit's
  std::optional<int64_t> start_index = {}, end_index = {};  // range of the steps used: [start, end)
};

// Sequences of `sequence_length` steps of a series, whose rows are its steps. Target i belongs to
// the sequence that begins with step i; without targets (an undefined Array) elements are only
// sequences.
Dataset timeseries_dataset_from_array(const Array& data, const Array& targets,
                                      int64_t sequence_length,
                                      const TimeseriesDatasetArgs& args = {},
                                      const Dataset::From& from = Dataset::From::current());

}  // namespace stoker
