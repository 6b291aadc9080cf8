#pragma once
#include <optional>
#include <vector>

#include "stoker/layer.h"
#include "stoker/sizes.h"

// Layers that make features of raw columns. adapt() lets one learn its state from data.
namespace stoker {
class Dataset;
}
namespace stoker::layers {

void adapt(const LayerRef& layer, const Array& data);
// To all elements of a dataset, in one pass: batches x, or the first part of (x, y, …).
void adapt(const LayerRef& layer, const Dataset& batches);

struct NormalizationArgs {
  // The axes with a mean of their own; none: one for all.
  Integers axis = -1;
  // Numbers, or nested lists of them, instead of what adapt() learns.
  Config mean = {}, variance = {};
  bool invert = false;
  std::string name = {};
  DTypePolicy dtype = {};
  Shape input_shape = {};
};
// (x - mean) / sqrt(variance).
LayerRef Normalization(const NormalizationArgs& args = {},
                       std::source_location created = std::source_location::current());

struct DiscretizationArgs {
  std::optional<std::vector<double>> bin_boundaries = {};
  std::optional<int64_t> num_bins = {};  // boundaries learnt by adapt()
  double epsilon = 0.01;                 // how exact the quantiles are then
  std::string output_mode = "int";       // or one_hot, multi_hot, count
  std::string name = {};
  DTypePolicy dtype = {};
};
// The number of the bin a value falls into.
LayerRef Discretization(const DiscretizationArgs& args,
                        std::source_location created = std::source_location::current());

struct CategoryEncodingArgs {
  int64_t num_tokens = 0;
  std::string output_mode = "multi_hot";  // or one_hot, count
  std::string name = {};
  DTypePolicy dtype = {};
};
// Integers as rows of ones and zeros. "count" takes the tensor argument count_weights.
LayerRef CategoryEncoding(const CategoryEncodingArgs& args,
                          std::source_location created = std::source_location::current());

}  // namespace stoker::layers
