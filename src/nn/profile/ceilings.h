#pragma once
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "graph/graph.h"
#include "graph/op.h"
#include "stoker/run_record.h"

namespace stoker::nn {

// A device's measured peak rates: matrix products of a dtype, and memory bandwidth.
class Ceilings {
 public:
  // Measures what the cache folder does not contain for this device; takes a second or two.
  Ceilings(const device::Device& device, const std::vector<DType>& dtypes);

  // Only what the cache folder contains; none if one is missing.
  static std::optional<Ceilings> known(const device::Device& device,
                                       const std::vector<DType>& dtypes);

  // The minimum time for an amount of work, and what limits it (roofline).
  struct Limit {
    double seconds = 0;
    const char* bound = "";
  };
  Limit limit(const graph::Cost& cost, DType dtype) const;
  const std::vector<RunRecord::Ceiling>& all() const { return all_; }
  double products(DType dtype) const;  // FLOP/s; 0: unknown
  double memory() const;               // bytes per second

 private:
  Ceilings() = default;
  double rate(const std::string& name) const;  // 0: unknown
  std::vector<RunRecord::Ceiling> all_;
};

// The dtype that a node computes in, whose peak rate applies, and those of a graph's products.
DType dtype_of(const graph::Graph& graph, const graph::Node& node);
std::vector<DType> dtypes_of(const graph::Graph& graph);

}  // namespace stoker::nn
