#pragma once
#include <vector>

#include "nn/layers/regularization/drawn_dropout.h"
#include "stoker/tensor.h"

namespace stoker::nn {

// softmax(scale * query keyᵀ) value for each head; all are (batch …, places …, heads, size).
struct AttendArgs {
  Tensor query, key, value;
  Tensor mask = {};     // bool (batch or 1, queries, keys) or with a heads axis before the last two
  bool fused = true;    // in one op where that can be
  bool causal = false;  // asked of that op alone
  bool scores = false;  // also answer with them
  double dropout = 0;   // of the weights
  const DrawnDropout* noise = nullptr;
  double scale = 1;
  std::vector<int64_t> axes = {1};  // the places
};
struct Attended {
  Tensor output, scores;  // scores: (batch …, heads, queries …, keys …)
};
Attended attend(const AttendArgs& args);

}  // namespace stoker::nn
