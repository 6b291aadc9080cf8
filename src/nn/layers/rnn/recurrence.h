#pragma once
#include "stoker/layers/rnn.h"

namespace stoker::nn {

// Runs a cell over a sequence.
struct Recurrence {
  Tensor x;                    // (batch, time, features …)
  std::vector<Tensor> states;  // before the first step
  Tensor mask = {};            // bool (batch, time) or undefined
  bool go_backwards = false, unroll = false, zero_output_for_mask = false;
  bool sequences = false;  // return all outputs, not only the last
};
struct RecurrenceResult {
  Tensor output;  // (batch, time, …) in step order, or the last one
  std::vector<Tensor> states;
};
RecurrenceResult run(layers::RnnCell& cell, Layer& layer, const Recurrence& recurrence,
                     bool training);

layers::RnnCell& as_cell(const LayerRef& layer);  // throws InvalidArgument

// Swaps (batch, time, …) and (time, batch, …).
Tensor swapped(const Tensor& x);
// Reverses a tensor along its first axis.
Tensor reversed(const Tensor& x);

}  // namespace stoker::nn
