#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "stoker/model.h"

namespace stoker {

struct HeadroomArgs {
  int64_t batch_size = 32;         // for arrays; a dataset has its own
  int64_t most = 4096;             // the largest batch to try
  double seconds_per_trial = 0.2;  // each is made three times
  bool bfloat16 = true;            // try mixed precision on a GPU
};

// How fast steps are without input: with batches that are already on the device.
struct Headroom {
  struct Size {
    int64_t batch = 0;
    double step_seconds = 0;
    double samples_per_second() const { return static_cast<double>(batch) / step_seconds; }
  };
  std::vector<Size> sizes;     // the current batch size, then larger ones
  double fixed = 0, each = 0;  // t(b) = fixed + each · b, in seconds
  int64_t best_batch = 0;      // of those tried: the highest throughput
  int64_t largest_batch = 0;   // that fits into memory
  // With the current batch size; 0: not tried.
  double bfloat16_step_seconds = 0;            // with mixed precision
  double replayed_step_seconds = 0;            // a dataset's first batches, from the host's memory
  double without_host_calls_step_seconds = 0;  // without HostFunctions inside the step
  std::string to_string() const;               // a table
};

// Trains a copy of the model for a few steps of each size; the model itself is not changed. The
// results are used in model.account_data(), whose advice then has numbers. Throws if the model
// cannot be recreated from its config (user-defined classes that are not registered).
Headroom measure_headroom(Model& model, const Arrays& x, const Arrays& y,
                          const HeadroomArgs& args = {});
Headroom measure_headroom(Model& model, const Dataset& batches, const HeadroomArgs& args = {});

}  // namespace stoker
