#pragma once
#include <string>

#include "stoker/tensor.h"

namespace stoker::ops {

// A recurrence over a whole sequence, time-major. `x` (time, batch, gates * units) is the inputs'
// contribution to each step's gates, biases included; `kernel` (units, gates * units) is the
// recurrent kernel. Gates are in Keras's order.
struct RnnInputs {
  Tensor x, kernel, h;  // h (batch, units): the state before the first step
  Tensor c = {};        // lstm: its second state
  Tensor bias = {};     // gru: added to the recurrent product (gates * units)
  Tensor mask = {};     // bool (time, batch): where false a step leaves the states unchanged
};
struct RnnOutputs {
  Tensor sequence;  // the state h after each step (time, batch, units)
  Tensor h, c;      // the states after the last one
};
RnnOutputs lstm(const RnnInputs& inputs);  // sigmoid gates i, f, o; tanh
RnnOutputs gru(const RnnInputs& inputs);   // sigmoid gates z, r; tanh; reset after the product
RnnOutputs simple_rnn(const RnnInputs& inputs, const std::string& activation = "tanh");  // or relu

}  // namespace stoker::ops
