#pragma once
#include <string>
#include <vector>

#include "device/device.h"
#include "graph/op.h"
#include "stoker/run_record.h"

namespace stoker::nn {

// A device's measured peak rates: matrix products of a dtype, and memory bandwidth.
class Ceilings {
 public:
  // Measures what the cache folder does not contain for this device; takes a second or two.
  Ceilings(const device::Device& device, const std::vector<DType>& dtypes);

  // The minimum time for an amount of work, and what limits it (roofline).
  struct Limit {
    double seconds = 0;
    const char* bound = "";
  };
  Limit limit(const graph::Cost& cost, DType dtype) const;
  const std::vector<RunRecord::Ceiling>& all() const { return all_; }

 private:
  double rate(const std::string& name) const;  // 0: unknown
  std::vector<RunRecord::Ceiling> all_;
};

}  // namespace stoker::nn
