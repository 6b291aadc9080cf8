#pragma once
#include <optional>
#include <string>
#include <vector>

#include "stoker/element.h"

namespace stoker {

struct ExplainArgs {
  int64_t epoch = 0, step = 0;  // counted from 0, as callbacks count them
  // Of the fit; none: the latest fit over the dataset.
  std::optional<uint64_t> seed = {};
  int64_t steps_per_epoch = 0;  // the argument of fit; only with `seed`
};

// The source element of a row of a batch.
struct SampleOrigin {
  int64_t row = 0;
  std::string source;  // "from_tensor_slices, created train.cpp:12"
  int64_t number = 0;  // index of the element in the source
  std::string file;    // if the source's elements are files
};

// The batch of one step of fit.
struct ExplainedBatch {
  int64_t epoch = 0, step = 0;
  uint64_t seed = 0;  // of the fit
  int64_t pass = 0;   // over the dataset; without steps_per_epoch, the epoch
  int64_t batch = 0;  // of this pass
  Element element;    // bit for bit
  // In row order; a row of zipped datasets has several. Behind a flat_map or interleave the indices
  // refer to the dataset returned by the function; empty behind window.
  std::vector<SampleOrigin> samples;
};
std::string to_string(const ExplainedBatch& batch);

}  // namespace stoker
