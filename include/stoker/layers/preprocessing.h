#pragma once
#include <optional>
#include <vector>

#include "stoker/layer.h"
#include "stoker/sizes.h"

// Preprocessing layers for raw features. adapt() learns a layer's state from data.
namespace stoker {
class Dataset;
}
namespace stoker::layers {

void adapt(const LayerRef& layer, const Array& data);
// Adapts to all elements of a dataset in one pass: batches x, or the first part of (x, y, …).
void adapt(const LayerRef& layer, const Dataset& batches);

struct NormalizationArgs {
  // The axes with separate means; none: one mean for all.
  Integers axis = -1;
  // Numbers, or nested lists of numbers, instead of adapt().
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
  double epsilon = 0.01;                 // resolution of the quantiles
  std::string output_mode = "int";       // or one_hot, multi_hot, count
  std::string name = {};
  DTypePolicy dtype = {};
};
// The index of the bin that contains the value.
LayerRef Discretization(const DiscretizationArgs& args,
                        std::source_location created = std::source_location::current());

struct CategoryEncodingArgs {
  int64_t num_tokens = 0;
  std::string output_mode = "multi_hot";  // or one_hot, count
  std::string name = {};
  DTypePolicy dtype = {};
};
// Integers as one-hot, multi-hot or count vectors. "count" takes the tensor argument count_weights.
LayerRef CategoryEncoding(const CategoryEncodingArgs& args,
                          std::source_location created = std::source_location::current());

}  // namespace stoker::layers
