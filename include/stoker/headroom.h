#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "stoker/model.h"

namespace stoker {

struct HeadroomArgs {
  int64_t batch_size = 32;  // of arrays; a dataset says its own
  int64_t most = 4096;      // the largest batch to try
  double seconds_per_trial = 0.2;
  bool bfloat16 = true;  // try mixed precision, where the device is a GPU
};

// How fast steps are when nothing but the device counts: from batches that lie there already.
struct Headroom {
  struct Size {
    int64_t batch = 0;
    double step_seconds = 0;
    double samples_per_second() const { return static_cast<double>(batch) / step_seconds; }
  };
  std::vector<Size> sizes;           // the batch as it is, then larger ones
  double fixed = 0, each = 0;        // t(b) = fixed + each · b, in seconds
  int64_t best_batch = 0;            // of those that were tried: the most samples per second
  int64_t largest_batch = 0;         // that fits into the memory
  double bfloat16_step_seconds = 0;  // of the batch as it is, with mixed precision; 0: not tried
  std::string to_string() const;     // a table
};

// Trains a copy of the model for a few steps of each size: the model itself stays as it is. What is
// found enters model.account_data(), whose advice then has numbers. Throws where the model cannot
// be made anew from its configuration (classes of one's own that are not registered).
Headroom measure_headroom(Model& model, const Arrays& x, const Arrays& y,
                          const HeadroomArgs& args = {});
Headroom measure_headroom(Model& model, const Dataset& batches, const HeadroomArgs& args = {});

}  // namespace stoker
