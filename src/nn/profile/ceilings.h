#pragma once
#include <string>
#include <vector>

#include "device/device.h"
#include "graph/op.h"
#include "stoker/run_record.h"

namespace stoker::nn {

// How fast a device can be, measured: matrix products of a dtype, and its memory.
class Ceilings {
 public:
  // Measures what the cache folder does not know of this device; a second or two.
  Ceilings(const device::Device& device, const std::vector<DType>& dtypes);

  // The least that so much work takes, and what limits it.
  struct Limit {
    double seconds = 0;
    const char* bound = "";
  };
  Limit limit(const graph::Cost& cost, DType dtype) const;
  const std::vector<RunRecord::Ceiling>& all() const { return all_; }

 private:
  double rate(const std::string& name) const;  // 0: not known
  std::vector<RunRecord::Ceiling> all_;
};

}  // namespace stoker::nn
