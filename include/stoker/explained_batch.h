#pragma once
#include <optional>
#include <string>
#include <vector>

#include "stoker/element.h"

namespace stoker {

struct ExplainArgs {
  int64_t epoch = 0, step = 0;  // counted from 0, as callbacks count them
  // Of the fit; none: of the latest fit over the dataset.
  std::optional<uint64_t> seed = {};
  int64_t steps_per_epoch = 0;  // as fit was given it; with `seed` only
};

// An element of a source that a row of a batch was made of.
struct SampleOrigin {
  int64_t row = 0;
  std::string source;  // "from_tensor_slices, created train.cpp:12"
  int64_t number = 0;  // of the element, in the source
  std::string file;    // where the elements of the source are files
};

// What fit fed at one step.
struct ExplainedBatch {
  int64_t epoch = 0, step = 0;
  uint64_t seed = 0;  // of the fit
  int64_t pass = 0;   // over the dataset; without steps_per_epoch, the epoch
  int64_t batch = 0;  // of this pass
  Element element;    // bit for bit
  // In the order of rows; a row of zipped datasets has several. Behind a flat_map or interleave the
  // numbers are those in the dataset that the function made; empty behind window.
  std::vector<SampleOrigin> samples;
};
std::string to_string(const ExplainedBatch& batch);

}  // namespace stoker
