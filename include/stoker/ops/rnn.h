#pragma once
#include <string>

#include "stoker/tensor.h"

namespace stoker::ops {

// A recurrence over a whole sequence, time first. `x` (time, batch, gates * units) is what the
// inputs contribute to each step's gates, biases included; `kernel` (units, gates * units) is what
// the state does. Gates lie in Keras's order.
struct RnnInputs {
  Tensor x, kernel, h;  // h (batch, units): the state before the first step
  Tensor c = {};        // lstm: its second state
  Tensor bias = {};     // gru: added to what the state contributes (gates * units)
  Tensor mask = {};     // bool (time, batch): where false a step leaves the states as they are
};
struct RnnOutputs {
  Tensor sequence;  // the state h after each step (time, batch, units)
  Tensor h, c;      // the states after the last one
};
RnnOutputs lstm(const RnnInputs& inputs);  // sigmoid gates i, f, o; tanh
RnnOutputs gru(const RnnInputs& inputs);   // sigmoid gates z, r; tanh; reset after the product
RnnOutputs simple_rnn(const RnnInputs& inputs, const std::string& activation = "tanh");  // or relu

}  // namespace stoker::ops
