#pragma once
#include "stoker/layers/rnn.h"

namespace stoker::nn {

// The steps of a cell over a sequence.
struct Recurrence {
  Tensor x;                    // (batch, time, features …)
  std::vector<Tensor> states;  // before the first step
  Tensor mask = {};            // bool (batch, time) or undefined
  bool go_backwards = false, unroll = false, zero_output_for_mask = false;
  bool sequences = false;  // all outputs are asked for, not only the last
};
struct RecurrenceResult {
  Tensor output;  // (batch, time, …) in the order of the steps, or the last one
  std::vector<Tensor> states;
};
RecurrenceResult run(layers::RnnCell& cell, Layer& layer, const Recurrence& recurrence,
                     bool training);

layers::RnnCell& as_cell(const LayerRef& layer);  // throws InvalidArgument

// (batch, time, …) and (time, batch, …) into each other.
Tensor swapped(const Tensor& x);
// A tensor's elements along its first axis, the last one first.
Tensor reversed(const Tensor& x);

}  // namespace stoker::nn
